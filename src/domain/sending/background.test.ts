import { expect, test } from 'vitest'
import { createBackground } from './background.ts'

const fail = (failure: unknown) => {
  throw failure
}

test('A slow key delays itself alone; what is asked of it meanwhile is done once, after', async () => {
  const background = createBackground(2, fail)
  const gate = Promise.withResolvers<void>()
  const done: string[] = []
  const say = (word: string) => async () => void done.push(word)
  background.ask('slow', async () => {
    await gate.promise
    done.push('slow')
  })
  background.ask('slow', say('again'))
  background.ask('slow', say('newest'))
  for (const key of ['a', 'b', 'c']) background.ask(key, say(key))
  await expect.poll(() => done).toEqual(['a', 'b', 'c'])
  gate.resolve()
  await expect.poll(() => done).toEqual(['a', 'b', 'c', 'slow', 'newest'])
})

test('No more keys than allowed are at work, and none is passed over', async () => {
  const background = createBackground(3, fail)
  let [running, most] = [0, 0]
  const done = new Set<number>()
  for (let key = 0; key < 50; key += 1) {
    background.ask(`${key}`, async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      done.add(key)
    })
  }
  await expect.poll(() => done.size).toBe(50)
  expect(most).toBe(3)
})

test('Work that fails is told, and closing waits for what runs and begins nothing more', async () => {
  const failures: unknown[] = []
  const background = createBackground(1, (failure) => failures.push(failure))
  const gate = Promise.withResolvers<void>()
  const done: string[] = []
  background.ask('bad', async () => {
    throw new Error('why')
  })
  background.ask('slow', async () => {
    await gate.promise
    done.push('slow')
  })
  background.ask('never', async () => void done.push('never'))
  await expect.poll(() => failures).toEqual([new Error('why')])
  const closed = background.close()
  background.ask('late', async () => void done.push('late'))
  gate.resolve()
  await closed
  expect(done).toEqual(['slow'])
})
