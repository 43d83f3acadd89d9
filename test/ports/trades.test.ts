import { expect, test } from 'vitest'
import type { Database } from '../../src/adapters/storage/database.ts'
import { openExecutions } from '../../src/adapters/storage/executions.ts'
import { openOutbox } from '../../src/adapters/storage/outgoing.ts'
import type { Hex, Leg } from '../../src/domain/ports/chains.ts'
import type { Execution } from '../../src/domain/ports/trades.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, at } from './rows.ts'

const from: Hex = '0xAbCdef0000000000000000000000000000000001'
const legs: readonly Leg[] = [
  { kind: 'approve', call: { to: from, data: '0x01', value: 0n }, gas: 50_000n },
  { kind: 'swap', call: { to: from, data: '0x02', value: 2n ** 200n }, gas: 150_000n },
]
const later = (seconds: number) => new Date(at.getTime() + seconds * 1_000)

function executionOf(userId: number, change: Partial<Execution> = {}): Execution {
  return {
    id: crypto.randomUUID(),
    userId,
    idempotencyKey: 'key',
    fingerprint: 'print',
    chainId: 84_532,
    walletRef: 'default',
    walletAddress: from,
    agent: 'trading_team',
    quoteId: null,
    tokenIn: '0x01',
    tokenOut: '0x02',
    amountIn: 2n ** 255n,
    expectedOut: null,
    minimumOut: null,
    route: null,
    valueUsd: null,
    state: 'requested',
    message: '',
    transactionHash: null,
    amountOut: null,
    gasUsed: null,
    feeWei: null,
    blockNumber: null,
    createdAt: at,
    updatedAt: at,
    ...change,
  }
}

eachDatabase('the executions', (open) => {
  test('one key is one execution, whoever asks at once', async () => {
    const database = await open()
    const userId = await addAccount(database)
    const executions = openExecutions(database)
    const begun = await Promise.all(Array.from({ length: 8 }, () => executions.begin(executionOf(userId))))
    expect(begun.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(begun.map(({ execution }) => execution.id)).size).toBe(1)
    const other = await addAccount(database, 2)
    expect((await executions.begin(executionOf(other))).created).toBe(true)
  })

  test('keeps every field, across a restart', async () => {
    const userId = await addAccount(await open())
    const route = { venue: 'uniswap_v3', tokens: ['0x01', '0x02'], feePips: [3000], pools: ['0x03'] } as const
    const whole = {
      quoteId: 'q',
      route,
      expectedOut: 5n,
      minimumOut: 4n,
      valueUsd: 10n ** 30n,
      amountOut: 6n,
      gasUsed: 7n,
    }
    const execution = executionOf(userId, {
      ...whole,
      feeWei: 8n,
      blockNumber: 9n,
      transactionHash: '0xaa',
      state: 'included',
    })
    await openExecutions(await open()).begin(execution)
    expect(await openExecutions(await open.restart()).find(userId, execution.id)).toEqual(execution)
  })

  test('changes from the states named alone, and wakes who waits', async () => {
    const database = await open()
    const executions = openExecutions(database)
    const { execution } = await executions.begin(executionOf(await addAccount(database)))
    const woken = executions.changed(execution.id, new AbortController().signal)
    await executions.update(execution.id, ['requested'], { state: 'simulated', message: 'm', updatedAt: later(1) })
    await woken
    const stale = await executions.update(execution.id, ['requested'], { state: 'failed', updatedAt: later(2) })
    expect(stale).toMatchObject({ state: 'simulated', message: 'm', updatedAt: later(1) })
  })

  test('discarding gives key and quote back, but not past the nonce', async () => {
    const database = await open()
    const executions = openExecutions(database)
    const userId = await addAccount(database)
    const first = (await executions.begin(executionOf(userId))).execution
    expect(await executions.claimQuote('q', first.id)).toBe(true)
    await executions.discard(first.id)
    const second = (await executions.begin(executionOf(userId, { state: 'reserved' }))).execution
    expect(await executions.claimQuote('q', second.id)).toBe(true)
    expect(await executions.claimQuote('q', 'another')).toBe(false)
    await executions.discard(second.id)
    expect(await executions.findByKey(userId, 'key')).toMatchObject({ id: second.id })
    expect(await executions.abandoned(later(1))).toEqual([])
  })

  test('lists a page after a cursor, newest first', async () => {
    const database = await open()
    const executions = openExecutions(database)
    const userId = await addAccount(database)
    for (const index of [0, 1, 1, 2]) {
      await executions.begin(executionOf(userId, { idempotencyKey: crypto.randomUUID(), createdAt: later(index) }))
    }
    const all = await executions.list(userId, null, 10)
    expect(all.map(({ createdAt }) => createdAt)).toEqual([2, 1, 1, 0].map(later))
    const two = await executions.list(userId, null, 2)
    expect([...two, ...(await executions.list(userId, two.at(-1)!.id, 10))]).toEqual(all)
  })
})

eachDatabase('the outbox', (open) => {
  const request = { chainId: 1, from, legs, floor: 5 }
  const noncesOf = async (database: Database, reference: string) =>
    (await openOutbox(database).byReference(reference)).map(({ nonce }) => nonce)

  test('hands out nonces in blocks without a gap, to many at once', async () => {
    const stores = [openOutbox(await open()), openOutbox(await open())]
    const references = Array.from({ length: 12 }, (_, index) => `ref-${index}`)
    await Promise.all(references.map((reference, index) => stores[index % 2]!.reserve({ ...request, reference })))
    const database = await open()
    const given = await Promise.all(references.map((reference) => noncesOf(database, reference)))
    for (const [first, second] of given) expect(second).toBe(first! + 1)
    expect(given.flat().toSorted((a, b) => a! - b!)).toEqual(Array.from({ length: 24 }, (_, index) => index + 5))
  })

  test('answers a known reference with what it has, and keeps every field', async () => {
    const outbox = openOutbox(await open())
    const [reserved, again] = await Promise.all([1, 2].map(() => outbox.reserve({ ...request, reference: 'r' })))
    expect(again).toEqual(reserved)
    expect(reserved).toMatchObject(legs.map((leg, index) => ({ ...leg, from, nonce: 5 + index, state: 'reserved' })))
  })

  test('moves on from one state alone; a failure frees the nonce', async () => {
    const database = await open()
    const outbox = openOutbox(database)
    const [approve, swap] = (await outbox.reserve({ ...request, reference: 'r' })) as readonly { id: number }[]
    const signed = { state: 'signed', raw: '0xff', hash: '0xaa' } as const
    expect(await outbox.move(approve!.id, 'reserved', signed)).toBe(true)
    expect(await outbox.move(approve!.id, 'reserved', signed)).toBe(false)
    await outbox.move(swap!.id, 'reserved', { state: 'failed', error: 'why' })
    expect(await outbox.byReference('r')).toMatchObject([signed, { nonce: null, error: 'why' }])
    expect(await outbox.byHash('0xAA' as Hex)).toMatchObject({ id: approve!.id })
    await outbox.reserve({ ...request, reference: 'next' })
    expect(await noncesOf(database, 'next')).toEqual([6, 7])
    expect(await outbox.reserve({ ...request, reference: 'gap', at: 6 })).toBe('taken')
  })

  test('is settled by reference', async () => {
    const outbox = openOutbox(await open())
    await outbox.reserve({ ...request, reference: 'r' })
    expect(await outbox.unsettled(1)).toMatchObject([{ nonce: 5 }, { nonce: 6 }])
    expect(await outbox.unsettled(2)).toEqual([])
    await outbox.markSettled('r')
    expect(await outbox.unsettled(1)).toEqual([])
  })

  test('takes no nonce for a trade that was given up, or past the daily budget', async () => {
    const database = await open()
    const [outbox, executions, userId] = [openOutbox(database), openExecutions(database), await addAccount(database)]
    const budget = { since: later(-1), limitUsd: 10n }
    const reserve = (executionId: string) =>
      outbox.reserve({ ...request, reference: executionId, trade: { executionId, at, budget } })
    expect(await reserve('discarded')).toBe('gone')
    const trades = await Promise.all(
      [6n, 6n, 4n].map(async (valueUsd) => {
        const fields = { idempotencyKey: crypto.randomUUID(), valueUsd, state: 'simulated' } as const
        return (await executions.begin(executionOf(userId, fields))).execution.id
      }),
    )
    const outcomes = await Promise.all(trades.slice(0, 2).map(reserve))
    expect(outcomes.filter((outcome) => outcome === 'over_budget')).toHaveLength(1)
    expect(await reserve(trades[2]!)).toHaveLength(2)
    expect(await executions.load(trades[2]!)).toMatchObject({ state: 'reserved' })
    expect((await outbox.unsettled(1)).map(({ nonce }) => nonce).toSorted()).toEqual([5, 6, 7, 8])
  })
})
