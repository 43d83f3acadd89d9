import { expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import { createPurge } from './purge.ts'

const dayMs = 86_400_000

/** A purge over stores with so many old rows each, and a clock. */
function world(rows: number, messageDays?: number) {
  let at = 100 * dayMs
  const left = {
    quotes: rows,
    keys: rows,
    confirmations: rows,
    rejected: rows,
    transactions: rows,
    moves: rows,
    chatStreams: rows,
    deletedAccounts: rows,
    messages: rows,
    knownAddresses: rows,
    events: rows,
    hours: rows,
    days: rows,
  }
  const ages: Record<string, number> = {}
  const store = (name: keyof typeof left) => async (before: Date, limit: number) => {
    ages[name] = (at - before.getTime()) / dayMs
    const gone = Math.min(limit, left[name])
    left[name] -= gone
    return gone
  }
  const ports = {
    clock: clockAt(() => new Date(at)),
    quotes: { purge: store('quotes') },
    accountFeed: { purge: store('events') },
    executions: {
      freeKeys: store('keys'),
      purgeConfirmations: store('confirmations'),
      purgeRejected: store('rejected'),
      purgeMoves: store('moves'),
    },
    ledger: {
      purgeSnapshots: (size: 'hour' | 'day', before: Date, limit: number) => store(`${size}s`)(before, limit),
    },
    outbox: { purge: store('transactions') },
    chatStreams: { purge: store('chatStreams') },
    knownAddresses: { purge: store('knownAddresses') },
    messages: { purge: store('messages') },
    accounts: { purge: store('deletedAccounts') },
  } as unknown as Parameters<typeof createPurge>[0]
  const purge = createPurge(ports, messageDays, 0)
  return { purge, left, ages, pass: (ms: number) => (at += ms) }
}

test('Each kind of row has its own retention time, and is purged once an hour', async () => {
  const { purge, ages, left, pass } = world(1)
  await purge()
  expect(ages).toEqual({
    quotes: 1 / 24,
    keys: 30,
    confirmations: 30,
    rejected: 30,
    transactions: 30,
    moves: 31,
    events: 30,
    hours: 7,
    days: 366,
    chatStreams: 7,
    deletedAccounts: 30,
    knownAddresses: 90,
  })
  left.quotes = 1
  await purge()
  expect(left.quotes).toBe(1)
  pass(3_600_000)
  await purge()
  expect(left.quotes).toBe(0)
})

test('Messages are kept unless they have an age, which streams do not outlive', async () => {
  const { purge, ages, left } = world(1, 3)
  await purge()
  expect(ages).toMatchObject({ messages: 3, chatStreams: 3 })
  expect(left.messages).toBe(0)
})

test('Rows beyond the limit of one run are deleted by the next run, a minute later', async () => {
  const { purge, left, pass } = world(60_000)
  await purge()
  expect(left.quotes).toBe(10_000)
  pass(59_999)
  await purge()
  expect(left.quotes).toBe(10_000)
  pass(1)
  await purge()
  expect(left.quotes).toBe(0)
})
