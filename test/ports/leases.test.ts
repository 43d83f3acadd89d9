import { expect, test } from 'vitest'
import { openWorkers } from '../../src/adapters/storage/connection/account-locks.ts'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import { openOutbox } from '../../src/adapters/storage/trading/outgoing.ts'
import type { Hex } from '../../src/domain/ports/chains.ts'
import { moveOf } from '../../src/domain/sending/execution-state.ts'
import { eachDatabase } from './databases.ts'

const from: Hex = '0xaa00000000000000000000000000000000000000'
const leg = { kind: 'swap', call: { to: from, data: '0x', value: 0n }, gas: 21_000n } as const
const reference = { kind: 'faucet', id: 'claim' } as const
const attempt = {
  purpose: 'leg',
  hash: '0xab',
  raw: '0x01',
  fees: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
  offeredAt: null,
} as const

/** Makes the others take a process for dead, as after a pause, until its next sign of life. */
async function silence({ holder, tables }: Database): Promise<void> {
  await tables.run("update worker set until = now() - interval '1 minute' where id = ?", holder)
}

/** A statement that changes nothing. */
const writes = (database: Database) => database.tables.run('update lane set sender = sender where chain_id = -1')

eachDatabase('leases', (open) => {
  test('what a process began before another took its account over is not written', async () => {
    const [paused, other] = [await open(), await open()]
    if (paused.dialect === 'sqlite') return
    const [outbox, workers] = [openOutbox(paused), openWorkers(paused)]
    const reserved = await outbox.reserve({ chainId: 1, from, reference, legs: [leg], floor: 0 })
    if ('refused' in reserved) throw new Error('refused')
    const [transaction] = reserved
    if (transaction === undefined) throw new Error('nothing was reserved')
    expect(await outbox.lockAccount(1, from)).toBe(true)
    const signed = { transaction, change: { move: moveOf('reserved', 'signed'), attempt } } as never
    const stale = workers.asHolder(1, from, async () => {
      await silence(paused)
      expect(await openOutbox(other).lockAccount(1, from)).toBe(true)
      return await outbox.change([signed])
    })
    await expect(stale).rejects.toThrow(/Another process of the gateway has taken this work over/)
    expect(await openOutbox(other).byReference(reference)).toMatchObject([{ state: 'reserved', attempts: [] }])
    // Single statements are checked too.
    const single = workers.asHolder(1, from, () => writes(paused))
    await expect(single).rejects.toThrow(/has taken this work over/)
    const fresh = openWorkers(other).asHolder(1, from, () => openOutbox(other).change([signed]))
    expect(await fresh).toMatchObject([{ state: 'signed' }])
  })

  test('a lease that could not be released is free soon after the database is back', async () => {
    const [one, other] = [await open(), await open()]
    if (one.dialect === 'sqlite') return
    const [outbox, workers] = [openOutbox(one), openWorkers(one)]
    expect(await outbox.lockAccount(1, from)).toBe(true)
    const { update } = one.tables
    one.tables.update = async () => Promise.reject(new Error('away'))
    await outbox.unlockAccount(1, from)
    one.tables.update = update
    expect(await openOutbox(other).lockAccount(1, from)).toBe(false)
    await expect(workers.asHolder(1, from, async () => undefined)).rejects.toThrow(/has taken this work over/)
    await workers.watches(1)
    expect(await openOutbox(other).lockAccount(1, from)).toBe(true)
  })

  test('one living process follows a chain for all, and another one once it is dead', async () => {
    const [one, two] = [await open(), await open()]
    const [first, second] = [openWorkers(one), openWorkers(two)]
    expect(await first.watches(1)).toBe(true)
    expect(await first.watches(1)).toBe(true)
    if (one.dialect === 'sqlite') return
    expect(await second.watches(1)).toBe(false)
    expect(await second.watches(2)).toBe(true)
    await expect(second.asWatcher(1, async () => undefined)).rejects.toThrow(/has taken this work over/)
    const stale = first.asWatcher(1, async () => {
      await silence(one)
      expect(await second.watches(1)).toBe(true)
      await writes(one)
    })
    await expect(stale).rejects.toThrow(/has taken this work over/)
    expect(await second.asWatcher(1, async () => await writes(two))).toBe(0)
    expect(await first.watches(1)).toBe(false)
  })
})
