import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAnalytics } from './analytics.ts'
import { createHttpProvider } from './http.ts'

/**
 * The requests that the provider received, the state that it reports for every run, and the responses that it delays.
 */
const seen: string[] = []
let state = 'QUERY_STATE_EXECUTING'
let closing = new AsyncDisposableStack()
let baseUrl: string

beforeEach(async () => {
  seen.splice(0)
  closing = new AsyncDisposableStack()
  state = 'QUERY_STATE_EXECUTING'
  let count = 0
  const answer = (path: string, response: ServerResponse) => {
    if (path.endsWith('/execute')) {
      count += 1
      response.end(JSON.stringify({ execution_id: `run-${count}`, state: 'QUERY_STATE_PENDING' }))
    } else if (path.includes('/results')) response.end(JSON.stringify({ state, result: { rows: [{ a: 1 }] } }))
    else response.end(JSON.stringify({ state }))
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    seen.push(`${request.method} ${path}`)
    answer(path, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.defer(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => await closing.disposeAsync())

function client() {
  const provider = createHttpProvider({ name: 'The analytics provider', urlSetting: 'ANALYTICS_URL', baseUrl })
  closing.defer(provider.close)
  return createAnalytics(provider, 'analytics (test)')
}

const executions = () => seen.filter((one) => one.endsWith('/execute')).length

test('equal runs at the same time are one, others are not', async () => {
  const analytics = client()
  const until = { waitMs: 30_000, signal: new AbortController().signal }
  const runs = [1, 2, 3].map(() => analytics.run(7, { a: 1, b: 'x' }, until))
  const others = [analytics.run(7, { b: 'x', a: 1 }, until), analytics.run(7, { a: 2 }, until)]
  await expect.poll(executions).toBe(2)
  state = 'QUERY_STATE_COMPLETED'
  for (const run of await Promise.all([...runs, ...others]))
    expect(run).toMatchObject({ value: { stage: 'completed', rows: [{ a: 1 }], truncated: false } })
  expect(executions()).toBe(2)
})

test('a run is cancelled when the last that waits for it leaves', async () => {
  const analytics = client()
  const [one, other] = [new AbortController(), new AbortController()]
  const runs = [one, other].map(({ signal }) => analytics.run(7, {}, { waitMs: 30_000, signal }).then(null, String))
  await expect.poll(() => seen.some((path) => path.endsWith('/status'))).toBe(true)
  one.abort()
  expect(await runs[0]).toContain('was cancelled')
  expect(seen).not.toContain('POST /v1/execution/run-1/cancel')
  other.abort()
  expect(await runs[1]).toContain('was cancelled')
  await expect.poll(() => seen.filter((path) => path === 'POST /v1/execution/run-1/cancel')).toHaveLength(1)
})

test.each([
  ['QUERY_STATE_COMPLETED_PARTIAL', 'completed'],
  ['QUERY_STATE_CANCELED', 'failed'],
  ['QUERY_STATE_EXPIRED', 'failed'],
  ['QUERY_STATE_PENDING', 'running'],
])('a run in the state %s is %s', async (reported, stage) => {
  state = reported
  const { value } = await client().run(7, {}, { waitMs: 0, signal: new AbortController().signal })
  expect(value).toMatchObject({ state: reported, stage })
  expect(seen.some((path) => path.endsWith('/cancel'))).toBe(false)
})
