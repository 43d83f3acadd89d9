import { expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import { DomainError } from '../core/errors.ts'
import { askPart } from './part.ts'

let now = new Date('2026-03-14T00:00:00Z').getTime()
const clock = clockAt(() => new Date(now))
const never = new AbortController().signal
const times = { signal: never, deadline: never, clock }

test('what a source took and how old its block is are told by the clock of the gateway', async () => {
  const at = new Date(now - 7_000)
  const answered = { value: 1, source: 'a', ageMs: 0, latencyMs: 5, block: { number: 9, at } }
  const { report } = await askPart({ part: 'graph_data', ask: async () => answered }, times)
  expect(report).toMatchObject({ state: 'ok', latency_ms: 5, block_number: 9, block_age_seconds: 7 })
  const ask = async () => {
    now += 1_234
    throw new DomainError('UNAVAILABLE', 'away')
  }
  expect((await askPart({ part: 'graph_data', ask }, times)).report).toMatchObject({
    state: 'failed',
    latency_ms: 1_234,
  })
})
