import { expect, test } from 'vitest'
import { callerTurns } from './caller-turns.ts'

const engines = (free: number, spreads = false) => ({ free, spreads })

test('who used much lately leaves an engine to the others and runs fewer reads at once, until it is forgotten', () => {
  let now = 0
  const turns = callerTurns(() => now)
  const ends = Array.from({ length: 8 }, () => {
    expect(turns.mayRun('flood', engines(1))).toBe(true)
    return turns.begin('flood')
  })
  expect(turns.mayRun('flood', engines(3))).toBe(false)
  expect(turns.mayRun('other', engines(1))).toBe(true)
  now = 1_000
  // Runs that go on count too.
  expect([turns.used('flood'), turns.isHeavy('flood')]).toEqual([8_000, true])
  for (const end of ends) end()
  expect(turns.used('flood')).toBe(8_000)
  expect([1, 2].map((free) => turns.mayRun('flood', engines(free)))).toEqual([false, true])
  turns.begin('flood')
  expect(turns.mayRun('flood', engines(3))).toBe(true)
  const second = turns.begin('flood')
  expect(turns.mayRun('flood', engines(3))).toBe(false)
  second()
  now += 25_000
  expect(turns.used('flood')).toBeCloseTo(25_250)
})

test('the last free engine is for callers who have none', () => {
  const turns = callerTurns(() => 0)
  expect(turns.mayRun('one', engines(1, true))).toBe(false)
  expect(turns.mayRun('one', engines(2, true))).toBe(true)
  expect(turns.mayRun('one', engines(1, false))).toBe(true)
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
  expect([turns.used('quick'), turns.isHeavy(''), turns.mayRun('', engines(0))]).toEqual([0, false, true])
})
