import { expect, test } from 'vitest'
import { RepeatLater } from './errors.ts'
import { settled } from './settled.ts'

test('a failure is thrown once all have ended', async () => {
  const ended: string[] = []
  const late = async (name: string, turns: number) => {
    for (let turn = 0; turn < turns; turn += 1) await null
    ended.push(name)
    return name
  }
  const fails = async () => {
    throw new Error('no')
  }
  expect(await settled([late('b', 9), late('a', 3)])).toEqual(['b', 'a'])
  await expect(settled([late('c', 20), fails()])).rejects.toThrow('no')
  expect(ended).toEqual(['a', 'b', 'c'])
  const repeats = Promise.reject(new RepeatLater('another was first'))
  await expect(settled([repeats, fails()])).rejects.toThrow('no')
})
