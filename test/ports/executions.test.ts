import { expect, test, vi } from 'vitest'
import { ExecutionEntity } from '../../src/adapters/storage/entities/trading.ts'
import { executionRow } from '../../src/adapters/storage/trading/execution-rows.ts'
import { openExecutions } from '../../src/adapters/storage/trading/executions.ts'
import { openOutbox } from '../../src/adapters/storage/trading/outgoing.ts'
import type { Executions } from '../../src/domain/ports/trades.ts'
import { moveOf } from '../../src/domain/sending/execution-state.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, at } from './rows.ts'
import { executionOf, from, later } from './trade-rows.ts'

eachDatabase('the executions', (open) => {
  test('one key is one execution for concurrent requests', async () => {
    const database = await open()
    const userId = await addAccount(database)
    const executions = openExecutions(database)
    const begun = await Promise.all(Array.from({ length: 8 }, () => executions.begin(executionOf(userId))))
    expect(begun.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(begun.map(({ execution }) => execution.id)).size).toBe(1)
    const other = await addAccount(database, 2)
    expect((await executions.begin(executionOf(other))).created).toBe(true)
  })

  test('a confirmation begins one trade, also after that was discarded, until it is forgotten', async () => {
    const database = await open()
    const userId = await addAccount(database)
    const executions = openExecutions(database)
    const tries = ['a', 'b', 'c', 'd'].map((idempotencyKey) => executionOf(userId, { idempotencyKey }))
    const begun = await Promise.all(tries.map((execution) => executions.beginConfirmed(execution, 'yes')))
    const [one, ...more] = begun.filter((each) => each !== null)
    expect([one?.created, more]).toEqual([true, []])
    const again = { ...tries[0]!, id: crypto.randomUUID(), idempotencyKey: one!.execution.idempotencyKey }
    expect(await executions.beginConfirmed(again, 'yes')).toMatchObject({
      created: false,
      execution: { id: one!.execution.id },
    })
    await executions.discard(one!.execution.id, 'refused')
    expect(await executions.beginConfirmed(again, 'yes')).toBeNull()
    expect(await executions.findByKey(userId, again.idempotencyKey)).toBeNull()
    const other = await addAccount(database, 2)
    expect(await executions.beginConfirmed(executionOf(other), 'yes')).toMatchObject({ created: true })
    expect(await executions.purgeConfirmations(again.createdAt, 9)).toBe(0)
    expect(await executions.purgeConfirmations(later(9), 1)).toBe(1)
    expect(await executions.purgeConfirmations(later(9), 9)).toBe(1)
    expect(await executions.beginConfirmed(again, 'yes')).toMatchObject({ created: true })
  })

  test('a trade that waits for the account is no abandoned one, and is found once its time is over', async () => {
    const database = await open()
    const userId = await addAccount(database)
    const executions = openExecutions(database)
    const { execution } = await executions.begin(executionOf(userId))
    const waits = moveOf('requested', 'awaiting_confirmation')
    const change = { message: 'Waits.', awaitedRequest: '{"amount":1}', updatedAt: later(1) }
    const waiting = await executions.move(execution, [{ move: waits, change }])
    expect(await executions.load(execution.id)).toMatchObject({
      state: 'awaiting_confirmation',
      awaitedRequest: '{"amount":1}',
    })
    expect(await executions.abandoned(later(9), '', 9)).toEqual([])
    expect(await executions.unconfirmed(later(1), '', 9)).toEqual([])
    expect(await executions.unconfirmed(later(2), '', 9)).toEqual([execution.id])
    const confirmed = {
      move: moveOf('awaiting_confirmation', 'requested'),
      change: { message: 'Confirmed.', updatedAt: later(2) },
    }
    const claims = await Promise.all([0, 1].map(() => executions.move(waiting!, [confirmed])))
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1)
    expect(await executions.unconfirmed(later(9), '', 9)).toEqual([])
    await executions.discard(execution.id, 'declined')
    expect(await executions.findByKey(userId, execution.idempotencyKey)).toBeNull()
  })

  test('keeps every field, across a restart', async () => {
    const userId = await addAccount(await open())
    const route = { venue: 'uniswap_v3', tokens: ['0x01', '0x02'], feePips: [3000], pools: ['0x03'] } as const
    const whole = {
      quoteId: 'q',
      sessionId: 's',
      awaitedRequest: '{}',
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
    const moved = await executions.move(execution, [{ move: simulated, change: { message: 'm', updatedAt: later(1) } }])
    await woken
    expect(moved).toMatchObject({ state: 'simulated', step: 2, message: 'm', updatedAt: later(1) })
    expect(
      await executions.move(execution, [{ move: simulated, change: { message: 'n', updatedAt: later(2) } }]),
    ).toBeNull()
    expect(await executions.load(execution.id)).toEqual(moved)
    expect(await executions.moves(execution.id, 0)).toMatchObject([
      { step: 1, state: 'requested', message: '', updatedAt: at },
      { step: 2, state: 'simulated', message: 'm', updatedAt: later(1) },
    ])
    expect(await executions.moves(execution.id, 1)).toHaveLength(1)
    await executions.explain(execution, 'of a step that is over')
    await executions.explain(moved!, 'more')
    expect(await executions.load(execution.id)).toEqual({ ...moved, message: 'more' })
    expect((await executions.moves(execution.id, 0)).map(({ message }) => message)).toEqual(['', 'more'])
    await executions.discard(execution.id)
    expect(await executions.moves(execution.id, 0)).toEqual([])
  })

  test('several moves are stored at once, each with an entry of its own', async () => {
    const executions = openExecutions(await open())
    const { execution } = await executions.begin(executionOf(await addAccount(await open()), { state: 'simulated' }))
    const steps = [
      { move: moveOf('simulated', 'reserved'), change: { message: 'r', updatedAt: later(3) } },
      { move: moveOf('reserved', 'signed'), change: { transactionHash: '0xaa', updatedAt: later(4) } },
    ] as const
    const present = await executions.move(execution, steps)
    expect(present).toMatchObject({ state: 'signed', step: 3, message: 'r', transactionHash: '0xaa' })
    expect(await executions.load(execution.id)).toMatchObject({ state: 'signed', step: 3, message: 'r' })
    expect(await executions.moves(execution.id, 1)).toMatchObject([
      { step: 2, state: 'reserved', message: 'r', transactionHash: null },
      { step: 3, state: 'signed', message: 'r', transactionHash: '0xaa' },
    ])
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
    await executions.move(first, [{ move: moveOf('broadcast', 'failed'), change: { updatedAt: at } }])
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
    await executions.move(over, [{ move: moveOf('broadcast', 'failed'), change: { updatedAt: later(1) } }])
    expect(await executions.purgeMoves(later(1), 9)).toBe(1)
    expect(await executions.moves(over.id, 0)).toMatchObject([{ step: 2, state: 'failed' }])
    expect(await executions.purgeMoves(later(9), 9)).toBe(1)
    expect(await executions.purgeMoves(later(9), 9)).toBe(0)
    expect(await executions.moves(over.id, 0)).toEqual([])
    expect(await executions.moves(stillOpen.id, 0)).toHaveLength(1)
    expect((await executions.list(userId, { cursor: null }, 9)).items.map(({ state }) => state).toSorted()).toEqual([
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
      stillOpen = (await executions.move(stillOpen, [{ move: moveOf(stillOpen.state, 'replaced'), change: change }]))!
    }
    over = (await executions.move(over, [{ move: moveOf('broadcast', 'included'), change: { updatedAt: later(5) } }]))!
    over = (await executions.move(over, [{ move: moveOf('included', 'safe'), change: { updatedAt: later(6) } }]))!
    await executions.move(over, [{ move: moveOf('safe', 'finalized'), change: { updatedAt: later(7) } }])
    expect(await executions.purgeMoves(later(9), 3)).toBe(3)
    expect(await executions.purgeMoves(later(9), 3)).toBe(1)
    expect(await executions.moves(over.id, 0)).toEqual([])
    expect(await executions.moves(stillOpen.id, 0)).toHaveLength(4)
  })

  test('a process whose clock is ahead takes no living one for dead', async () => {
    const databases = [await open(), await open()]
    const [one, two] = databases.map(openExecutions) as [Executions, Executions]
    await one.begin(executionOf(await addAccount(databases[0]!), { updatedAt: later(0) }))
    expect(await openOutbox(databases[0]!).lockAccount(1, from)).toBe(true)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    try {
      expect(await two.abandoned(later(-1), '', 9)).toEqual([])
      expect(await openOutbox(databases[1]!).lockAccount(1, from)).toBe(databases[1]!.dialect === 'sqlite')
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
    if (databases[0] === databases[1]) return // SQLite serves one process, so its end is the end of all
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
    const all = (await executions.list(userId, { cursor: null }, 10)).items
    expect(all.map(({ createdAt }) => createdAt)).toEqual([2, 1, 1, 0].map(later))
    const two = (await executions.list(userId, { cursor: null }, 2)).items
    expect([...two, ...(await executions.list(userId, { cursor: two.at(-1)!.id }, 10)).items]).toEqual(all)
  })

  test('a filter that few of many trades match looks at a bounded number of them a page', async () => {
    const database = await open()
    const userId = await addAccount(database)
    const rows = Array.from({ length: 20_500 }, (_, index) => {
      const agent = index === 0 ? 'rare' : 'usual'
      return executionRow(executionOf(userId, { idempotencyKey: `${index}`, agent, createdAt: later(index) }))
    })
    for (let first = 0; first < rows.length; first += 500)
      await database.tables.insertAll(ExecutionEntity, rows.slice(first, first + 500))
    const executions = openExecutions(database)
    const by =
      (wanted: string) =>
      ({ agent }: { agent: string }) =>
        agent === wanted
    const first = await executions.list(userId, { cursor: null, fits: by('rare') }, 10)
    expect(first.items).toEqual([])
    const second = await executions.list(userId, { cursor: first.next, fits: by('rare') }, 10)
    expect(second).toMatchObject({ items: [{ agent: 'rare' }], next: null })
    const usual = await executions.list(userId, { cursor: null, fits: by('usual'), end: later(1_002) }, 1_001)
    expect([usual.items.length, usual.next]).toEqual([1_001, null])
    const exact = await executions.list(userId, { cursor: null, fits: by('usual'), end: later(1_003) }, 1_001)
    expect([exact.items.length, exact.next]).toEqual([1_001, exact.items.at(-1)!.id])
  })
})
