import { expect, test, vi } from 'vitest'
import type { Database } from '../../src/adapters/storage/database.ts'
import { openExecutions } from '../../src/adapters/storage/executions.ts'
import { openOutbox } from '../../src/adapters/storage/outgoing.ts'
import type { Hex, Leg } from '../../src/domain/ports/chains.ts'
import type { Attempt, Outbox, Outgoing, OutgoingChange } from '../../src/domain/ports/outbox.ts'
import type { PolicyFacts } from '../../src/domain/ports/trade-policy.ts'
import type { Execution, Executions } from '../../src/domain/ports/trades.ts'
import { moveOf } from '../../src/domain/trading/execution-state.ts'
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
    step: 1,
    facts: null,
    basis: null,
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
      facts: { quote: { quote_id: 'q' } as never },
      basis: '0xaa@0xbb',
      feeWei: 8n,
      blockNumber: 9n,
      transactionHash: '0xaa',
      state: 'included',
    })
    await openExecutions(await open()).begin(execution)
    expect(await openExecutions(await open.restart()).find(userId, execution.id)).toEqual(execution)
  })

  test('moves from the version it was read at alone, writes each move down, and wakes who waits', async () => {
    const database = await open()
    const executions = openExecutions(database)
    const { execution } = await executions.begin(executionOf(await addAccount(database)))
    const woken = executions.changed(execution.id, new AbortController().signal)
    const simulated = moveOf('requested', 'simulated')
    const moved = await executions.move(execution, simulated, { message: 'm', updatedAt: later(1) })
    await woken
    expect(moved).toMatchObject({ state: 'simulated', step: 2, message: 'm', updatedAt: later(1) })
    expect(await executions.move(execution, simulated, { message: 'n', updatedAt: later(2) })).toBeNull()
    expect(await executions.load(execution.id)).toEqual(moved)
    expect(await executions.moves(execution.id, 0)).toMatchObject([
      { step: 1, state: 'requested', message: '', updatedAt: at },
      { step: 2, state: 'simulated', message: 'm', updatedAt: later(1) },
    ])
    expect(await executions.moves(execution.id, 1)).toHaveLength(1)
    await executions.discard(execution.id)
    expect(await executions.moves(execution.id, 0)).toEqual([])
  })

  test('discarding gives the key back, but not past the nonce', async () => {
    const database = await open()
    const executions = openExecutions(database)
    const userId = await addAccount(database)
    const first = (await executions.begin(executionOf(userId))).execution
    await executions.discard(first.id)
    const second = (await executions.begin(executionOf(userId, { state: 'reserved' }))).execution
    await executions.discard(second.id)
    expect(await executions.findByKey(userId, 'key')).toMatchObject({ id: second.id })
    expect(await executions.abandoned(later(1), '', 9)).toEqual([])
  })

  test('an old key serves another trade once its own is settled', async () => {
    const executions = openExecutions(await open())
    const userId = await addAccount(await open())
    const [first] = [(await executions.begin(executionOf(userId, { state: 'broadcast' }))).execution]
    expect(await executions.freeKeys(later(1), 9)).toBe(0)
    expect(await executions.findByKey(userId, 'key')).toMatchObject({ id: first.id })
    await executions.move(first, moveOf('broadcast', 'failed'), { updatedAt: at })
    expect(await executions.freeKeys(later(0), 9)).toBe(0)
    expect((await executions.begin(executionOf(userId))).created).toBe(false)
    expect(await executions.freeKeys(later(1), 9)).toBe(1)
    expect((await executions.begin(executionOf(userId))).created).toBe(true)
    expect(await executions.find(userId, first.id)).toMatchObject({ idempotencyKey: 'key' })
  })

  test('forgets the moves of trades that are settled, so many at a time, and nothing of the others', async () => {
    const executions = openExecutions(await open())
    const userId = await addAccount(await open())
    const [over, stillOpen] = [await begun('a', 'broadcast'), await begun('b', 'broadcast')]
    async function begun(idempotencyKey: string, state: 'broadcast') {
      return (await executions.begin(executionOf(userId, { idempotencyKey, state }))).execution
    }
    await executions.move(over, moveOf('broadcast', 'failed'), { updatedAt: later(1) })
    expect(await executions.purgeMoves(later(1), 9)).toBe(1)
    expect(await executions.moves(over.id, 0)).toMatchObject([{ step: 2, state: 'failed' }])
    expect(await executions.purgeMoves(later(9), 9)).toBe(1)
    expect(await executions.purgeMoves(later(9), 9)).toBe(0)
    expect(await executions.moves(over.id, 0)).toEqual([])
    expect(await executions.moves(stillOpen.id, 0)).toHaveLength(1)
    expect((await executions.list(userId, null, 9)).map(({ state }) => state).toSorted()).toEqual([
      'broadcast',
      'failed',
    ])
  })

  test('forgets a full page of moves however many older ones an open trade has', async () => {
    const executions = openExecutions(await open())
    const userId = await addAccount(await open())
    const begun = async (idempotencyKey: string) =>
      (await executions.begin(executionOf(userId, { idempotencyKey, state: 'broadcast' }))).execution
    let [stillOpen, over] = [await begun('a'), await begun('b')]
    for (let second = 1; second < 4; second++) {
      const change = { updatedAt: later(second) }
      stillOpen = (await executions.move(stillOpen, moveOf(stillOpen.state, 'replaced'), change))!
    }
    over = (await executions.move(over, moveOf('broadcast', 'included'), { updatedAt: later(5) }))!
    over = (await executions.move(over, moveOf('included', 'safe'), { updatedAt: later(6) }))!
    await executions.move(over, moveOf('safe', 'finalized'), { updatedAt: later(7) })
    expect(await executions.purgeMoves(later(9), 3)).toBe(3)
    expect(await executions.purgeMoves(later(9), 3)).toBe(1)
    expect(await executions.moves(over.id, 0)).toEqual([])
    expect(await executions.moves(stillOpen.id, 0)).toHaveLength(4)
  })

  test('a process whose clock is ahead takes no living one for dead', async () => {
    const databases = [await open(), await open()]
    const [one, two] = databases.map(openExecutions) as [Executions, Executions]
    await one.begin(executionOf(await addAccount(databases[0]!), { updatedAt: later(0) }))
    expect(await openOutbox(databases[0]!).claimLane(1, from)).toBe(true)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    try {
      expect(await two.abandoned(later(-1), '', 9)).toEqual([])
      expect(await openOutbox(databases[1]!).claimLane(1, from)).toBe(databases[1]!.dialect === 'sqlite')
    } finally {
      vi.useRealTimers()
    }
  })

  test('what a process leaves without a nonce is abandoned once the process is dead', async () => {
    const databases = [await open(), await open()]
    const [one, two] = databases.map(openExecutions) as [Executions, Executions]
    const userId = await addAccount(databases[0]!)
    const { execution } = await one.begin(executionOf(userId, { updatedAt: later(0) }))
    expect(await two.abandoned(later(-1), '', 9)).toEqual([])
    if (databases[0] === databases[1]) return // SQLite serves one process, whose end is the end of all
    await databases[0]![Symbol.asyncDispose]()
    expect(await two.abandoned(later(-1), '', 9)).toEqual([execution.id])
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

  const attempt = (hash: Hex): Attempt => ({
    purpose: 'leg',
    raw: '0xff',
    hash,
    fees: { maxFeePerGas: 2n ** 80n, maxPriorityFeePerGas: 1n },
    offeredAt: null,
  })
  const reserved = async (outbox: Outbox, reference: string) =>
    (await outbox.reserve({ ...request, reference, deadline: 77n })) as [Outgoing, Outgoing]

  test('changes the version that was read alone; a failure frees the nonce', async () => {
    const database = await open()
    const outbox = openOutbox(database)
    const [approve, swap] = await reserved(outbox, 'r')
    const change = { move: moveOf('reserved', 'signed'), attempt: attempt('0xaa') }
    const [first, second] = await Promise.all([1, 2].map(() => outbox.change(approve, change)))
    expect([first, second].filter((one) => one !== null)).toHaveLength(1)
    expect(first ?? second).toMatchObject({ state: 'signed', hash: '0xaa', deadline: 77n, attempts: [attempt('0xaa')] })
    await outbox.change(swap, { move: moveOf('reserved', 'failed'), error: 'why' })
    expect(await outbox.byReference('r')).toMatchObject([{ state: 'signed' }, { nonce: null, error: 'why' }])
    await outbox.reserve({ ...request, reference: 'next' })
    expect(await noncesOf(database, 'next')).toEqual([6, 7])
    expect(await outbox.reserve({ ...request, reference: 'gap', at: 6 })).toEqual({ refused: 'taken' })
  })

  test('remembers every attempt, and which one a block holds until that block is gone', async () => {
    const outbox = openOutbox(await open())
    const [leg] = await reserved(outbox, 'r')
    /** What a change answers is what is stored. */
    const change = async (present: Outgoing, made: OutgoingChange) => {
      const changed = (await outbox.change(present, made))!
      expect((await outbox.byReference('r'))[0]).toEqual(changed)
      return changed
    }
    const signed = await change(leg, { move: moveOf('reserved', 'signed'), attempt: attempt('0xaA') })
    const sent = { move: moveOf('signed', 'broadcast'), offered: { hash: '0xaa', at: 9n } } as const
    const offered = await change(signed, sent)
    const dearer = await change(offered, { move: moveOf('broadcast', 'replaced'), attempt: attempt('0xbb') })
    expect(dearer).toMatchObject({ hash: '0xbb', attempts: [{ hash: '0xaa', offeredAt: 9n }, { hash: '0xbb' }] })
    for (const hash of ['0xAA', '0xbb'] as const) expect(await outbox.byHash(hash)).toMatchObject({ id: leg.id })
    const mined = { hash: '0xaa', outcome: 'reverted', blockNumber: 10n, blockHash: '0xcc' } as const
    const included = await change(dearer, { move: moveOf('replaced', 'included'), mined })
    expect(included).toMatchObject({ state: 'included', ...mined })
    expect(await outbox.maturing(1, 0, 9)).toEqual([included])
    expect(await outbox.maturing(1, included.id, 9)).toEqual([])
    expect(await outbox.newestBlock(1, from.toLowerCase() as Hex)).toEqual({ number: 10n, hash: '0xcc' })
    expect(await outbox.newestBlock(2, from)).toBeNull()
    const gone = await change(included, { move: moveOf('included', 'reorganised') })
    expect(gone).toMatchObject({ outcome: null, blockNumber: null, blockHash: null, hash: '0xaa' })
    expect(await outbox.newestBlock(1, from)).toBeNull()
    expect(await change(gone, { move: moveOf('reorganised', 'failed'), error: 'why' })).toMatchObject({ nonce: null })
  })

  test('is unfinished until it is decided and told, and settled for good', async () => {
    const outbox = openOutbox(await open())
    const unfinished = async (chainId: number) => {
      const found = await outbox.unfinished(chainId, from, 0, 9)
      expect(await outbox.atWork(chainId, '', 9)).toEqual(found.length === 0 ? [] : [from.toLowerCase()])
      return [...new Set(found.map(({ reference }) => reference))]
    }
    const legs = await reserved(outbox, 'r')
    await outbox.markTold(legs, null)
    expect(await unfinished(1)).toEqual(['r'])
    expect(await unfinished(2)).toEqual([])
    const failed = await Promise.all(
      legs.map((leg) => outbox.change(leg, { move: moveOf('reserved', 'failed'), error: 'why' })),
    )
    expect(await unfinished(1)).toEqual(['r'])
    await outbox.markTold(legs, at) // versions that are gone
    expect(await unfinished(1)).toEqual(['r'])
    await outbox.markTold(failed as Outgoing[], at)
    expect(await unfinished(1)).toEqual([])
  })

  test('is forgotten with its bytes once it was settled before the moment', async () => {
    const outbox = openOutbox(await open())
    const [leg, rest] = await reserved(outbox, 'r')
    await outbox.change(leg, { move: moveOf('reserved', 'signed'), attempt: attempt('0xaa') })
    await outbox.change(rest, { move: moveOf('reserved', 'failed'), error: 'why' })
    expect(await outbox.purge(later(9), 9)).toBe(0)
    await outbox.markTold(await outbox.byReference('r'), later(5))
    expect(await outbox.purge(later(5), 9)).toBe(0)
    expect(await outbox.purge(later(6), 1)).toBe(1)
    expect(await outbox.purge(later(6), 9)).toBe(1)
    expect(await outbox.byReference('r')).toEqual([])
    expect(await outbox.byHash('0xaa')).toBeNull()
  })

  test('is found a page at a time, each account and each transaction once', async () => {
    const database = await open()
    const outbox = openOutbox(database)
    const senders = [1, 2, 3].map((number) => `${from.slice(0, -1)}${number}` as Hex)
    for (const sender of senders)
      for (const reference of ['a', 'b'])
        await outbox.reserve({ ...request, from: sender, reference: `${sender}${reference}` })
    const all = senders.map((sender) => sender.toLowerCase())
    expect(await outbox.atWork(1, '', 2)).toEqual(all.slice(0, 2))
    expect(await outbox.atWork(1, all[1]!, 2)).toEqual(all.slice(2))
    const first = await outbox.unfinished(1, senders[1]!, 0, 3)
    const rest = await outbox.unfinished(1, senders[1]!, first.at(-1)!.id, 3)
    const names = [...first, ...rest].map(({ reference }) => reference.slice(-1))
    expect(names).toEqual(['a', 'a', 'b', 'b'])
  })

  test('an account is worked on by one living process', async () => {
    const [one, two] = [openOutbox(await open()), openOutbox(await open())]
    const same = (await open()).dialect === 'sqlite'
    expect(await one.claimLane(1, from)).toBe(true)
    expect(await one.claimLane(1, from)).toBe(true)
    expect(await two.claimLane(1, from)).toBe(same)
    expect(await two.claimLane(2, from)).toBe(true)
    await one.releaseLane(1, from)
    expect(await two.claimLane(1, from)).toBe(true)
  })

  test('takes no nonce for a trade that was given up, or that a safeguard forbids by what was traded before', async () => {
    const database = await open()
    const [outbox, executions, userId] = [openOutbox(database), openExecutions(database), await addAccount(database)]
    const forbids = ({ accountUsd }: PolicyFacts) => (accountUsd + 6n > 10n ? 'too much' : null)
    const reserve = (executionId: string) => {
      const trade = { executionId, quoteId: `quote of ${executionId}`, at, since: later(-1), forbids }
      return outbox.reserve({ ...request, reference: executionId, trade })
    }
    expect(await reserve('discarded')).toEqual({ refused: 'gone' })
    const trades = await Promise.all(
      [6n, 6n].map(async (valueUsd) => {
        const fields = { idempotencyKey: crypto.randomUUID(), valueUsd, state: 'simulated' } as const
        return (await executions.begin(executionOf(userId, fields))).execution.id
      }),
    )
    const outcomes = await Promise.all(trades.map(reserve))
    expect(outcomes.filter((outcome) => 'refused' in outcome)).toEqual([{ refused: { forbidden: 'too much' } }])
    const states = await Promise.all(trades.map(async (id) => (await executions.load(id))?.state))
    expect(states.toSorted()).toEqual(['reserved', 'simulated'])
    expect(await outbox.takenNonces(1, from, 0)).toEqual([5, 6])
  })

  test('counts what was traded in 24 hours from when each trade took its nonces, and not what failed', async () => {
    const database = await open()
    const [outbox, executions, userId] = [openOutbox(database), openExecutions(database), await addAccount(database)]
    const day = 86_400
    const traded: bigint[] = []
    const reserve = async (when: number, asked: Partial<Execution>) => {
      const fields = { idempotencyKey: crypto.randomUUID(), valueUsd: 6n, state: 'simulated', ...asked } as const
      const executionId = (await executions.begin(executionOf(userId, fields))).execution.id
      const forbids = ({ accountUsd }: PolicyFacts) => {
        traded.push(accountUsd)
        return null
      }
      const trade = { executionId, quoteId: executionId, at: later(when), since: later(when - day), forbids }
      await outbox.reserve({ ...request, reference: executionId, trade })
      return (await executions.load(executionId))!
    }
    // Asked for long before it had its nonces.
    const first = await reserve(100, { createdAt: later(0) })
    await reserve(100 + day - 1, { createdAt: later(day) })
    await reserve(100 + day, { createdAt: later(day), valueUsd: 5n })
    expect(traded).toEqual([0n, 6n, 6n])
    await executions.move(first, moveOf('reserved', 'failed'), { updatedAt: later(101) })
    const reverted = await reserve(100 + day - 1, {})
    expect(traded.at(-1)).toBe(11n)
    // Booked as two blocks decided it: without effect.
    const change = { basis: '0xaa@0xbb', updatedAt: later(101) }
    const signed = (await executions.move(reverted, moveOf('reserved', 'signed'), change))!
    const sent = (await executions.move(signed, moveOf('signed', 'broadcast'), change))!
    await reserve(100 + day - 1, { valueUsd: null })
    expect(traded.at(-1)).toBe(11n)
    await executions.move(sent, moveOf('broadcast', 'included'), { ...change, amountOut: 1n })
    await reserve(100 + day - 1, { valueUsd: null })
    expect(traded.at(-1)).toBe(17n)
  })

  test('counts a trade from its last move where nothing notes when it took its nonces', async () => {
    const database = await open()
    const [outbox, executions, userId] = [openOutbox(database), openExecutions(database), await addAccount(database)]
    const begin = async (fields: Partial<Execution>) =>
      (await executions.begin(executionOf(userId, { idempotencyKey: crypto.randomUUID(), ...fields }))).execution.id
    await begin({ state: 'broadcast', valueUsd: 6n, createdAt: later(-9), updatedAt: later(1) })
    await begin({ state: 'broadcast', valueUsd: 7n, createdAt: later(-9), updatedAt: later(0) })
    const executionId = await begin({ state: 'simulated' })
    const forbids = ({ accountUsd }: PolicyFacts) => `${accountUsd}`
    const trade = { executionId, quoteId: 'q', at: later(2), since: later(0), forbids }
    expect(await outbox.reserve({ ...request, reference: executionId, trade })).toEqual({ refused: { forbidden: '6' } })
  })

  test('uses a quote up with the nonce or not at all, once among many at once', async () => {
    const database = await open()
    const [outbox, executions, userId] = [openOutbox(database), openExecutions(database), await addAccount(database)]
    const used = new Error('used')
    const reserve = async (executionId: string, forbidden: string | null) => {
      const forbids = ({ quoteUsed }: PolicyFacts) => {
        if (quoteUsed) throw used
        return forbidden
      }
      const trade = { executionId, quoteId: 'the quote', at, since: later(-1), forbids }
      return await outbox.reserve({ ...request, reference: executionId, trade })
    }
    const begin = async () => {
      const fields = { idempotencyKey: crypto.randomUUID(), state: 'simulated' } as const
      return (await executions.begin(executionOf(userId, fields))).execution.id
    }
    expect(await reserve(await begin(), 'why')).toEqual({ refused: { forbidden: 'why' } })
    expect(await reserve('discarded', null)).toEqual({ refused: 'gone' })
    const trades = await Promise.all([begin(), begin(), begin()])
    const outcomes = await Promise.allSettled(trades.map((id) => reserve(id, null)))
    const won = outcomes.findIndex(({ status }) => status === 'fulfilled')
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: used },
      { status: 'rejected', reason: used },
    ])
    expect(await outbox.takenNonces(1, from, 0)).toEqual([5, 6])
    expect(await reserve(trades[won]!, null)).toHaveLength(2) // asked again for itself
  })
})
