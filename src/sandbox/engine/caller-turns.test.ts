import { expect, test } from 'vitest'
import { callerTurns } from './caller-turns.ts'

test('who used much lately leaves an engine to the others and runs fewer reads at once, until it is forgotten', () => {
  let now = 0
  const turns = callerTurns(() => now)
  const ends = Array.from({ length: 8 }, () => {
    expect(turns.mayRun('flood', 1)).toBe(true)
    return turns.begin('flood')
  })
  expect(turns.mayRun('flood', 3)).toBe(false)
  expect(turns.mayRun('other', 1)).toBe(true)
  now = 1_000
  for (const end of ends) end()
  expect(turns.used('flood')).toBe(8_000)
  expect([1, 2].map((free) => turns.mayRun('flood', free))).toEqual([false, true])
  turns.begin('flood')
  expect(turns.mayRun('flood', 3)).toBe(true)
  turns.begin('flood')
  expect(turns.mayRun('flood', 3)).toBe(false)
  now += 25_000
  expect(turns.used('flood')).toBeCloseTo(250)
  expect([turns.isHeavy('flood'), turns.mayRun('flood', 1)]).toEqual([false, true])
})

test('short runs count nothing, and those of the gateway itself wait for no turn', () => {
  let now = 0
  const turns = callerTurns(() => now)
  for (let run = 0; run < 1_000; run += 1) {
    const ends = ['quick', ''].map((name) => turns.begin(name))
    now += 40
    for (const end of ends) end()
  }
  const own = turns.begin('')
  now += 5_000
  own()
  expect([turns.used('quick'), turns.isHeavy(''), turns.mayRun('', 0)]).toEqual([0, false, true])
})
