import { expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import { DomainError } from '../core/errors.ts'
import { queryPart } from './part.ts'

let now = new Date('2026-03-14T00:00:00Z').getTime()
const clock = clockAt(() => new Date(now))
const never = new AbortController().signal
const times = {
  signal: never,
  deadline: never,
  clock,
  fail: (code: 'DEADLINE_EXCEEDED', message: string) => new DomainError(code, message),
}

test('the latency of a source and the age of its block are measured by the clock of the gateway', async () => {
  const at = new Date(now - 7_000)
  const returned = { value: 1, source: 'a', ageMs: 0, latencyMs: 5, block: { number: 9, at } }
  const { report } = await queryPart({ part: 'graph_data', query: async () => returned }, times)
  expect(report).toMatchObject({ state: 'ok', latency_ms: 5, block_number: 9, block_age_seconds: 7 })
  const query = async () => {
    now += 1_234
    throw new DomainError('UNAVAILABLE', 'away')
  }
  expect((await queryPart({ part: 'graph_data', query }, times)).report).toMatchObject({
    state: 'failed',
    latency_ms: 1_234,
  })
})
