import { expect, test } from 'vitest'
import { exampleWorld, sessionToken } from '../../test/protocols/world.ts'
import { createMemoryLimiter } from '../adapters/limits/memory.ts'
import { operationOf } from '../contract/index.ts'
import { DomainError } from '../domain/core/errors.ts'
import { restProtocol } from '../protocols/protocols.ts'
import type { Caller } from './request.ts'

function callerWith(signal: AbortSignal): Caller {
  return {
    protocol: restProtocol,
    token: sessionToken,
    isUnread: false,
    apiKey: null,
    clientAddress: '127.0.0.1',
    ownAddress: '127.0.0.1',
    requestId: 'r-1',
    traceParent: null,
    signal,
  }
}

const present = new AbortController().signal
const example = (id: 'trading.execute' | 'chat.history' | 'chat.resume') => () => operationOf(id).example.input

test("the node's rate counts a caller by API key and tier, or by address; other rates ignore the key", async () => {
  const limiter = createMemoryLimiter()
  const counted: string[] = []
  const { gateway } = exampleWorld({}, false, new Map(), {
    ...limiter,
    take(name, rule, key, now) {
      counted.push(`${name} ${rule.limit}/${rule.burst} ${key}`)
      return limiter.take(name, rule, key, now)
    },
  })
  const free = callerWith(present)
  const pro: Caller = { ...free, apiKey: { id: 'digest', tier: 'pro' } }
  const answers = [
    await gateway.call('chain.chainId', () => ({}), free),
    await gateway.count('unknown', pro, 'UNIMPLEMENTED'),
    await gateway.call('chat.history', example('chat.history'), pro),
  ]
  expect(counted).toEqual([
    'node 100/200 address:127.0.0.1',
    'pro 1000/2000 key:digest',
    'default 100/undefined account:1',
  ])
  expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['199', '1999', '99'])
})

test('a burst counts among the remaining requests', async () => {
  const limiter = createMemoryLimiter()
  const still = new Date()
  const { gateway } = exampleWorld({}, false, new Map(), {
    ...limiter,
    take: (name, rule, key) => limiter.take(name, rule, key, still),
  })
  const received: number[] = []
  for (let asked = 0; asked < 200; asked += 1) {
    const { headers } = await gateway.call('chain.chainId', () => ({}), callerWith(present))
    received.push(Number(headers['x-ratelimit-remaining']))
  }
  expect(received).toEqual([...Array(200).keys()].toReversed())
})

test('an unknown key is refused on every protocol, and counted by its address', async () => {
  const limiter = createMemoryLimiter()
  const { gateway } = exampleWorld({}, false, new Map(), limiter)
  const caller: Caller = { ...callerWith(present), apiKey: 'unknown' }
  const answers = [
    await gateway.call('chain.chainId', () => ({}), caller),
    await gateway.call('chat.history', example('chat.history'), caller),
    await gateway.open('chat.resume', example('chat.resume'), caller),
    await gateway.count('unknown', caller, 'UNAUTHENTICATED'),
  ]
  for (const answer of answers)
    expect(answer).toMatchObject({
      ok: false,
      error: { code: 'UNAUTHENTICATED', message: expect.stringMatching(/x-api-key/) },
    })
  expect(answers.map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(['100', '100', '100', '100'])
})

test('a failure of work that continues without its caller is reported, and is not a cancellation', async () => {
  const leaving = new AbortController()
  const { gateway, unexpected } = exampleWorld({
    'trading.execute': async () => {
      leaving.abort()
      throw new TypeError('a bug')
    },
  })
  const answer = await gateway.call('trading.execute', example('trading.execute'), callerWith(leaving.signal))
  expect(answer).toMatchObject({ ok: false, error: { code: 'INTERNAL' } })
  expect(unexpected).toMatchObject([{ message: 'a bug' }])
})

test('work is cancelled when its caller disconnects, also where a library wraps the abort', async () => {
  const leaving = new AbortController()
  const { gateway, unexpected } = exampleWorld({
    'chat.history': async (_ports, _input, { signal }) => {
      leaving.abort()
      throw new Error('the store failed', { cause: signal.reason })
    },
  })
  const answer = await gateway.call('chat.history', example('chat.history'), callerWith(leaving.signal))
  expect(answer).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
  expect(unexpected).toEqual([])
})

test('an undeclared code becomes INTERNAL and is reported', async () => {
  const { gateway, unexpected } = exampleWorld({
    'chat.history': async () => {
      throw new DomainError('STORAGE_FULL', 'no')
    },
  })
  const answer = await gateway.call('chat.history', example('chat.history'), callerWith(present))
  expect(answer).toMatchObject({ ok: false, error: { code: 'INTERNAL' } })
  expect(unexpected).toHaveLength(1)
})

test('an input is read after its caller is authenticated', async () => {
  const { gateway } = exampleWorld()
  const read = () => {
    throw new Error('read too early')
  }
  const answer = await gateway.call('chat.history', read, { ...callerWith(present), token: 'nonsense' })
  expect(answer).toMatchObject({
    ok: false,
    error: { code: 'UNAUTHENTICATED' },
    headers: { 'x-ratelimit-limit': '100' },
  })
})

test('a stream that fails says when to retry; one that is never read is closed', async () => {
  let closed = false
  const { gateway } = exampleWorld({
    'chat.resume': async (_ports, _input, call) => {
      call.nameStream('s-1')
      return {
        [Symbol.asyncIterator]: () => ({
          next: async () => {
            throw new DomainError('UNAVAILABLE', 'The assistant failed.')
          },
          return: async () => {
            closed = true
            return { done: true as const, value: undefined }
          },
        }),
      }
    },
  })
  const opened = await gateway.open('chat.resume', example('chat.resume'), callerWith(present))
  if (!opened.ok) throw opened.error
  expect(opened.headers).toMatchObject({ 'x-stream-id': 's-1' })
  await expect(opened.events.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(opened.headers).toMatchObject({ 'retry-after': '1' })
  expect(closed).toBe(false)
})
