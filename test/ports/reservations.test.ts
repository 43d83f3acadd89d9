import { expect, test } from 'vitest'
import { openAccounts } from '../../src/adapters/storage/accounts/accounts.ts'
import { openSessions } from '../../src/adapters/storage/accounts/sessions.ts'
import { verifyAudit } from '../../src/adapters/storage/audit/verify-audit.ts'
import { HaltEntity } from '../../src/adapters/storage/entities/trading.ts'
import { feedHalt } from '../../src/adapters/storage/feed/feed-events.ts'
import { openExecutions } from '../../src/adapters/storage/trading/executions.ts'
import { openOutbox } from '../../src/adapters/storage/trading/outgoing.ts'
import type { PolicyFacts } from '../../src/domain/ports/trade-policy.ts'
import type { Execution } from '../../src/domain/ports/trades.ts'
import { moveOf } from '../../src/domain/sending/execution-state.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, addSession, at } from './rows.ts'
import { executionOf, from, later, legs } from './trade-rows.ts'

eachDatabase('a reservation', (open) => {
  const request = { chainId: 1, from, legs, floor: 5 }

  test('reserves no nonce for a deleted account, and an account with a trade is not deleted', async () => {
    const database = await open()
    const [accounts, outbox, executions] = [openAccounts(database), openOutbox(database), openExecutions(database)]
    const [ada, bob] = [await addAccount(database, 1), await addAccount(database, 2)]
    const reserve = (executionId: string) => {
      const trade = {
        executionId,
        quoteId: executionId,
        message: 'Reserved.',
        at,
        since: later(-1),
        forbids: () => null,
      }
      return outbox.reserve({ ...request, reference: { kind: 'trade', id: executionId }, trade })
    }
    const begin = async (userId: number) =>
      (await executions.begin(executionOf(userId, { state: 'simulated' }))).execution.id
    const traded = await begin(bob)
    expect(await accounts.delete(bob, 'hash', at)).toBe('trading')
    expect(await reserve(traded)).toHaveLength(legs.length)
    const reserved = { state: 'reserved', message: 'Reserved.' }
    expect(await executions.load(traded)).toMatchObject(reserved)
    expect((await executions.moves(traded, 0)).at(-1)).toMatchObject(reserved)
    expect(await accounts.delete(ada, 'hash', at)).toBe('deleted')
    // A request that was admitted before the deletion begins its trade after it.
    expect(await reserve(await begin(ada))).toEqual({ refused: 'gone' })
  })

  test('reserves no nonce for a trade whose session has ended, and lets none of it wait', async () => {
    const database = await open()
    const [outbox, executions] = [openOutbox(database), openExecutions(database)]
    const userId = await addAccount(database)
    const sessionId = await addSession(database, userId)
    const begin = async (state: 'requested' | 'simulated') => {
      const fields = { idempotencyKey: crypto.randomUUID(), sessionId, state }
      return (await executions.begin(executionOf(userId, fields))).execution
    }
    const [traded, asked] = [await begin('simulated'), await begin('requested')]
    await openSessions(database).delete(sessionId)
    const quote = { executionId: traded.id, quoteId: 'quote', message: 'Reserved.' }
    const trade = { ...quote, at, since: later(-1), forbids: () => null }
    expect(await outbox.reserve({ ...request, reference: { kind: 'trade', id: traded.id }, trade })).toEqual({
      refused: 'gone',
    })
    const step = { move: moveOf('requested', 'awaiting_confirmation'), change: { updatedAt: later(1) } }
    expect(await executions.wait(asked, step, at)).toBeNull()
    expect(await executions.load(asked.id)).toMatchObject({ state: 'requested' })
  })

  test('of a trade is refused by a halt that was being set when it began', async () => {
    const [database, other] = [await open(), await open()]
    if (database.dialect === 'sqlite') return // has one transaction at a time
    const userId = await addAccount(database)
    const { execution } = await openExecutions(other).begin(executionOf(userId, { state: 'simulated' }))
    const [setting, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const halted = database.transaction(async (tables) => {
      await tables.insert(HaltEntity, { scope: 'global', target: '', createdAt: at })
      await feedHalt(tables, { scope: 'global', target: '', halted: true, at })
      setting.resolve()
      await answered.promise
    })
    await setting.promise
    const forbids = ({ halt }: PolicyFacts) => (halt === null ? null : 'halted')
    const fields = { executionId: execution.id, quoteId: 'quote', message: 'Reserved.', at, since: later(-1) }
    const reference = { kind: 'trade', id: execution.id } as const
    const reserved = openOutbox(other).reserve({ ...request, reference, trade: { ...fields, forbids } })
    const waiting = "select 1 as one from pg_locks where locktype = 'advisory' and not granted"
    await until(async () => (await other.tables.query(waiting)).length > 0, 'the reservation to wait for the halt')
    answered.resolve()
    await halted
    expect(await reserved).toMatchObject({ refused: { forbidden: 'halted' } })
  })

  test('waiting trades are ended once, by whichever of two callers comes first', async () => {
    const [here, there] = [await open(), await open()]
    const [executions, others] = [openExecutions(here), openExecutions(there)]
    const userId = await addAccount(here)
    const sessionId = await addSession(here, userId)
    for (let round = 0; round < 5; round += 1) {
      const waiting = await Promise.all(
        Array.from({ length: 5 }, async () => {
          const fields = { idempotencyKey: crypto.randomUUID(), sessionId, awaitedRequest: '{}' }
          const asked = executionOf(userId, { ...fields, state: 'awaiting_confirmation' })
          return (await executions.begin(asked)).execution.id
        }),
      )
      const [ended, ...declined] = await Promise.all([
        executions.endWaiting({ userId, sessionId }, 'ended'),
        ...waiting.toReversed().map(async (id) => await others.discard(id, 'declined')),
      ])
      expect(ended.length + declined.filter(Boolean).length).toBe(5)
      for (const id of waiting)
        expect(await executions.load(id)).toMatchObject({
          state: 'rejected',
          message: ended.includes(id) ? 'ended' : 'declined',
        })
    }
    expect((await verifyAudit(here)).broken).toBeNull()
  })

  test('reserves no nonce for a discarded trade, or one that a safeguard forbids because of earlier trades', async () => {
    const database = await open()
    const [outbox, executions, userId] = [openOutbox(database), openExecutions(database), await addAccount(database)]
    const forbids = ({ accountUsd }: PolicyFacts) => (accountUsd + 6n > 10n ? 'too much' : null)
    const reserve = (executionId: string) => {
      const trade = {
        executionId,
        quoteId: `quote of ${executionId}`,
        message: 'Reserved.',
        at,
        since: later(-1),
        forbids,
      }
      return outbox.reserve({ ...request, reference: { kind: 'trade', id: executionId }, trade })
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
      const trade = {
        executionId,
        quoteId: executionId,
        message: 'Reserved.',
        at: later(when),
        since: later(when - day),
        forbids,
      }
      await outbox.reserve({ ...request, reference: { kind: 'trade', id: executionId }, trade })
      return (await executions.load(executionId))!
    }
    // Requested long before its nonces were reserved.
    const first = await reserve(100, { createdAt: later(0) })
    await reserve(100 + day - 1, { createdAt: later(day) })
    await reserve(100 + day, { createdAt: later(day), valueUsd: 5n })
    expect(traded).toEqual([0n, 6n, 6n])
    await executions.move(first, [{ move: moveOf('reserved', 'failed'), change: { updatedAt: later(101) } }])
    const reverted = await reserve(100 + day - 1, {})
    expect(traded.at(-1)).toBe(11n)
    // Mined in two blocks without effect, and booked.
    const change = { basis: '0xaa@0xbb', updatedAt: later(101) }
    const signed = (await executions.move(reverted, [{ move: moveOf('reserved', 'signed'), change: change }]))!
    const sent = (await executions.move(signed, [{ move: moveOf('signed', 'broadcast'), change: change }]))!
    await reserve(100 + day - 1, { valueUsd: null })
    expect(traded.at(-1)).toBe(11n)
    await executions.move(sent, [{ move: moveOf('broadcast', 'included'), change: { ...change, amountOut: 1n } }])
    await reserve(100 + day - 1, { valueUsd: null })
    expect(traded.at(-1)).toBe(17n)
  })

  test("counts a session's own trades for it, of all its wallets and with those reserved at the same time", async () => {
    const database = await open()
    const [outbox, executions, userId] = [openOutbox(database), openExecutions(database), await addAccount(database)]
    const seen: bigint[] = []
    const reserve = async (sessionId: string | null, valueUsd: bigint | null) => {
      const fields = { idempotencyKey: crypto.randomUUID(), valueUsd, sessionId, state: 'simulated' } as const
      const executionId = (await executions.begin(executionOf(userId, fields))).execution.id
      const forbids = ({ sessionUsd }: PolicyFacts) => {
        seen.push(sessionUsd)
        return sessionUsd + (valueUsd ?? 0n) > 10n ? 'too much' : null
      }
      const trade = { executionId, quoteId: executionId, message: 'Reserved.', at, since: later(-1), forbids }
      return await outbox.reserve({ ...request, reference: { kind: 'trade', id: executionId }, trade })
    }
    await reserve(null, 100n)
    const [mine, other] = [await addSession(database, userId), await addSession(database, userId)]
    await reserve(other, 7n)
    const both = await Promise.all([reserve(mine, 6n), reserve(mine, 6n)])
    expect(both.filter((outcome) => 'refused' in outcome)).toEqual([{ refused: { forbidden: 'too much' } }])
    expect(seen.toSorted((one, other) => Number(one - other))).toEqual([0n, 0n, 0n, 6n])
    await reserve(null, 1n)
    expect(seen.at(-1)).toBe(0n)
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
    const trade = { executionId, quoteId: 'q', message: 'Reserved.', at: later(2), since: later(0), forbids }
    expect(await outbox.reserve({ ...request, reference: { kind: 'trade', id: executionId }, trade })).toEqual({
      refused: { forbidden: '6' },
    })
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
      const trade = { executionId, quoteId: 'the quote', message: 'Reserved.', at, since: later(-1), forbids }
      return await outbox.reserve({ ...request, reference: { kind: 'trade', id: executionId }, trade })
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
