import { expect, test } from 'vitest'
import { verifyAudit } from '../../src/adapters/storage/audit/verify-audit.ts'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import { WalletEntity } from '../../src/adapters/storage/entities/accounts.ts'
import { AuditEntity } from '../../src/adapters/storage/entities/audit.ts'
import { OutgoingEntity } from '../../src/adapters/storage/entities/sending.ts'
import { openOutbox } from '../../src/adapters/storage/trading/outgoing.ts'
import { referenceText } from '../../src/domain/core/reference.ts'
import type { Hex } from '../../src/domain/ports/chains.ts'
import type { Attempt, Outbox, Outgoing, OutgoingChange, Reference } from '../../src/domain/ports/outbox.ts'
import { moveOf } from '../../src/domain/sending/execution-state.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, at } from './rows.ts'
import { from, later, legs } from './trade-rows.ts'

eachDatabase('the outbox', (open) => {
  const request = { chainId: 1, from, legs, floor: 5 }
  const trade = (id: string): Reference => ({ kind: 'trade', id })
  const noncesOf = async (database: Database, reference: Reference) =>
    (await openOutbox(database).byReference(reference)).map(({ nonce }) => nonce)

  test('hands out nonces in blocks without a gap, to many at once', async () => {
    const stores = [openOutbox(await open()), openOutbox(await open())]
    const references = Array.from({ length: 12 }, (_, index) => trade(`ref-${index}`))
    await Promise.all(references.map((reference, index) => stores[index % 2]!.reserve({ ...request, reference })))
    const database = await open()
    const given = await Promise.all(references.map((reference) => noncesOf(database, reference)))
    for (const [first, second] of given) expect(second).toBe(first! + 1)
    expect(given.flat().toSorted((a, b) => a! - b!)).toEqual(Array.from({ length: 24 }, (_, index) => index + 5))
  })

  test('answers a known reference with what it has, and keeps every field', async () => {
    const outbox = openOutbox(await open())
    const [reserved, again] = await Promise.all([1, 2].map(() => outbox.reserve({ ...request, reference: trade('r') })))
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
  const changed = async (outbox: Outbox, transaction: Outgoing, change: OutgoingChange) =>
    (await outbox.change([{ transaction, change }]))?.[0] ?? null
  const reserved = async (outbox: Outbox, id: string) =>
    (await outbox.reserve({ ...request, reference: trade(id), deadline: 77n })) as [Outgoing, Outgoing]

  test('changes the version that was read alone; a failure frees the nonce', async () => {
    const database = await open()
    const outbox = openOutbox(database)
    const [approve, swap] = await reserved(outbox, 'r')
    const change = { move: moveOf('reserved', 'signed'), attempt: attempt('0xaa') }
    const [first, second] = await Promise.all([1, 2].map(() => changed(outbox, approve, change)))
    expect([first, second].filter((one) => one !== null)).toHaveLength(1)
    expect(first ?? second).toMatchObject({ state: 'signed', hash: '0xaa', deadline: 77n, attempts: [attempt('0xaa')] })
    await changed(outbox, swap, { move: moveOf('reserved', 'failed'), error: 'why' })
    expect(await outbox.byReference(trade('r'))).toMatchObject([{ state: 'signed' }, { nonce: null, error: 'why' }])
    await outbox.reserve({ ...request, reference: trade('next') })
    expect(await noncesOf(database, trade('next'))).toEqual([6, 7])
    expect(await outbox.reserve({ ...request, reference: { kind: 'gap', id: 'a:6:1' }, at: 6 })).toEqual({
      refused: 'taken',
    })
  })

  test('keeps the price of a legacy transaction, which has no tip', async () => {
    const outbox = openOutbox(await open())
    const [approve] = await reserved(outbox, 'legacy')
    const legacy = { ...attempt('0xaa'), fees: { maxFeePerGas: 7n, maxPriorityFeePerGas: null } }
    await changed(outbox, approve, { move: moveOf('reserved', 'signed'), attempt: legacy })
    expect((await outbox.byReference(trade('legacy')))[0]?.attempts).toEqual([legacy])
  })

  test('changes all transactions of one account or none of them, with the audit of its owner', async () => {
    const database = await open()
    const userId = await addAccount(database)
    await database.tables.insert(WalletEntity, {
      userId,
      ref: 'main',
      addressKey: from.toLowerCase(),
      address: from,
      funding: 'none',
      createdAt: at,
    })
    const outbox = openOutbox(database)
    const legs = await reserved(outbox, 'r')
    expect(legs.map((leg) => leg.userId)).toEqual([userId, userId])
    expect(await outbox.byReference(trade('r'))).toEqual(legs)
    const ofEarlierVersion = { ...legs[0], userId: null }
    const changeOf = (leg: Outgoing, hash: Hex) => {
      return { transaction: leg, change: { move: moveOf('reserved', 'signed'), attempt: attempt(hash) } }
    }
    await changed(outbox, legs[1], { error: 'meanwhile' })
    expect(await outbox.change([changeOf(legs[0], '0xaa'), changeOf(legs[1], '0xbb')])).toBeNull()
    expect((await outbox.byReference(trade('r')))[0]).toEqual(legs[0])
    expect(await outbox.byHash('0xaa')).toBeNull()
    const [, second] = await outbox.byReference(trade('r'))
    expect(await outbox.change([changeOf(second!, '0xbb'), changeOf(ofEarlierVersion, '0xaa')])).toHaveLength(2)
    const audit = await database.tables.find(AuditEntity, { userId }, { orderBy: { seq: 'asc' } })
    expect(audit.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['signature', 1],
      ['signature', 2],
    ])
    expect((await verifyAudit(database)).broken).toBeNull()
  })

  test('is changed and marked by two processes at once without an error', async () => {
    const [outbox, other] = [openOutbox(await open()), openOutbox(await open())]
    let legs: Outgoing[] = await reserved(outbox, 'r')
    for (let round = 0; round < 40; round += 1) {
      await changed(outbox, legs[0]!, { error: `${round}` }) // its row now stands behind the other one
      legs = await outbox.byReference(trade('r'))
      const changes = legs.map((transaction) => ({ transaction, change: { error: `both ${round}` } }))
      await Promise.all([outbox.markNotified(legs, null), other.change(changes)])
      legs = await outbox.byReference(trade('r'))
    }
    expect(legs.map(({ version }) => version)).toEqual([81, 41])
  })

  test('remembers every attempt, and which one a block holds until that block is gone', async () => {
    const outbox = openOutbox(await open())
    const [leg] = await reserved(outbox, 'r')
    /** The returned transaction equals the stored one. */
    const change = async (present: Outgoing, made: OutgoingChange) => {
      const written = (await changed(outbox, present, made))!
      expect((await outbox.byReference(trade('r')))[0]).toEqual(written)
      return written
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
    const block = { number: 10n, hash: '0xcc', state: 'included' } as const
    expect(await outbox.confirmingBlocks(1)).toEqual([block])
    expect(await outbox.confirmingBlocks(2)).toEqual([])
    expect(await outbox.confirming(1, block, 0, 9)).toEqual([included])
    expect(await outbox.confirming(1, block, included.id, 9)).toEqual([])
    expect(await outbox.confirming(1, { ...block, state: 'safe' }, 0, 9)).toEqual([])
    expect(await outbox.newestBlock(1, from.toLowerCase() as Hex)).toEqual({ number: 10n, hash: '0xcc' })
    expect(await outbox.newestBlock(2, from)).toBeNull()
    const gone = await change(included, { move: moveOf('included', 'reorganised') })
    expect(gone).toMatchObject({ outcome: null, blockNumber: null, blockHash: null, hash: '0xaa' })
    expect(await outbox.newestBlock(1, from)).toBeNull()
    expect(await change(gone, { move: moveOf('reorganised', 'failed'), error: 'why' })).toMatchObject({ nonce: null })
  })

  test('is open until it is decided and its follower notified, then settled permanently', async () => {
    const outbox = openOutbox(await open())
    const unfinished = async (chainId: number) => {
      const found = await outbox.unfinished(chainId, from, 0, 9)
      expect(await outbox.accountsWithWork(chainId, 'all', '', 9)).toEqual(
        found.length === 0 ? [] : [from.toLowerCase()],
      )
      return [...new Set(found.map(({ reference }) => referenceText(reference)))]
    }
    const legs = await reserved(outbox, 'r')
    await outbox.markNotified(legs, null)
    expect(await unfinished(1)).toEqual(['r'])
    expect(await unfinished(2)).toEqual([])
    const failed = await Promise.all(
      legs.map((leg) => changed(outbox, leg, { move: moveOf('reserved', 'failed'), error: 'why' })),
    )
    expect(await unfinished(1)).toEqual(['r'])
    await outbox.markNotified(legs, at) // versions that are gone
    expect(await unfinished(1)).toEqual(['r'])
    await outbox.markNotified(failed as Outgoing[], at)
    expect(await unfinished(1)).toEqual([])
  })

  test('lists the queue of each account by what it waits for, those of earlier versions first', async () => {
    const database = await open()
    const outbox = openOutbox(database)
    const other = '0xAbCdef0000000000000000000000000000000002' as Hex
    const before = new Date()
    const legs = await reserved(outbox, 'r')
    await outbox.reserve({ ...request, from: other, floor: 1, reference: { kind: 'faucet', id: 'f' } })
    await outbox.reserve({ ...request, from: other, legs: [legs[0]], reference: { kind: 'gap', id: 'g' }, at: 0 })
    const first = { nonce: 5, reference: trade('r'), createdAt: expect.any(Date) }
    const blocking = { nonce: 0, reference: { kind: 'gap', id: 'g' }, createdAt: expect.any(Date) }
    const queues = await outbox.queues(1, 9)
    expect(queues).toEqual([
      { from, waiting: 2, first },
      { from: other, waiting: 3, first: blocking },
    ])
    for (const { first } of queues) {
      expect(first.createdAt?.getTime()).toBeGreaterThanOrEqual(before.getTime())
      expect(first.createdAt?.getTime()).toBeLessThanOrEqual(Date.now())
    }
    await database.tables.update(OutgoingEntity, { reference: 'gap:g' }, { createdAt: null })
    expect(await outbox.queues(1, 1)).toEqual([{ from: other, waiting: 3, first: { ...blocking, createdAt: null } }])
    expect(await outbox.queues(2, 9)).toEqual([])
    await changed(outbox, legs[0], { move: moveOf('reserved', 'failed'), error: 'why' })
    expect((await outbox.queues(1, 9))[1]).toMatchObject({ from, waiting: 1, first: { nonce: 6 } })
  })

  test('is forgotten with its bytes once it was settled before the moment', async () => {
    const outbox = openOutbox(await open())
    const [leg, rest] = await reserved(outbox, 'r')
    await changed(outbox, leg, { move: moveOf('reserved', 'signed'), attempt: attempt('0xaa') })
    await changed(outbox, rest, { move: moveOf('reserved', 'failed'), error: 'why' })
    expect(await outbox.purge(later(9), 9)).toBe(0)
    await outbox.markNotified(await outbox.byReference(trade('r')), later(5))
    expect(await outbox.purge(later(5), 9)).toBe(0)
    expect(await outbox.purge(later(6), 1)).toBe(1)
    expect(await outbox.purge(later(6), 9)).toBe(1)
    expect(await outbox.byReference(trade('r'))).toEqual([])
    expect(await outbox.byHash('0xaa')).toBeNull()
  })

  test('is found a page at a time, each account and each transaction once', async () => {
    const database = await open()
    const outbox = openOutbox(database)
    const senders = [1, 2, 3].map((number) => `${from.slice(0, -1)}${number}` as Hex)
    for (const sender of senders)
      for (const reference of ['a', 'b'])
        await outbox.reserve({ ...request, from: sender, reference: trade(`${sender}${reference}`) })
    const all = senders.map((sender) => sender.toLowerCase())
    expect(await outbox.accountsWithWork(1, 'all', '', 2)).toEqual(all.slice(0, 2))
    expect(await outbox.accountsWithWork(1, 'all', all[1]!, 2)).toEqual(all.slice(2))
    const first = await outbox.unfinished(1, senders[1]!, 0, 3)
    const rest = await outbox.unfinished(1, senders[1]!, first.at(-1)!.id, 3)
    const names = [...first, ...rest].map(({ reference }) => referenceText(reference).slice(-1))
    expect(names).toEqual(['a', 'a', 'b', 'b'])
  })

  test('returns a stored reference of an unknown kind as such, and still reads the rows around it', async () => {
    const database = await open()
    const outbox = openOutbox(database)
    for (const id of ['a', 'b', 'c']) {
      const [first, second] = await reserved(outbox, id)
      const signed = (await changed(outbox, first, {
        move: moveOf('reserved', 'signed'),
        attempt: attempt(`0xa${id}`),
      }))!
      const sent = (await changed(outbox, signed, { move: moveOf('signed', 'broadcast') }))!
      const mined = { hash: `0xa${id}`, outcome: 'success', blockNumber: 10n, blockHash: '0xcc' } as const
      await changed(outbox, sent, { move: moveOf('broadcast', 'included'), mined })
      await outbox.markNotified([second], null)
    }
    await database.tables.update(OutgoingEntity, { reference: 'b' }, { reference: 'refund:b' })
    const unknown = { kind: 'unknown', id: 'refund:b' }
    const references = [trade('a'), unknown, trade('c')]
    const block = { number: 10n, hash: '0xcc', state: 'included' } as const
    expect(await outbox.confirmingBlocks(1)).toEqual([block])
    expect((await outbox.confirming(1, block, 0, 9)).map(({ reference }) => reference)).toEqual(references)
    const unfinished = (await outbox.unfinished(1, from, 0, 9)).map(({ reference }) => reference)
    expect(unfinished).toEqual(references.flatMap((reference) => [reference, reference]))
    expect(await outbox.byHash('0xab')).toMatchObject({ reference: unknown })
    expect(await outbox.takenNonces(1, from, 0)).toEqual([5, 6, 7, 8, 9, 10])
  })

  test('an account is worked on by one living process', async () => {
    const [one, two] = [openOutbox(await open()), openOutbox(await open())]
    const same = (await open()).dialect === 'sqlite'
    expect(await one.lockAccount(1, from)).toBe(true)
    expect(await one.lockAccount(1, from)).toBe(true)
    expect(await two.lockAccount(1, from)).toBe(same)
    expect(await two.lockAccount(2, from)).toBe(true)
    await one.unlockAccount(1, from)
    expect(await two.lockAccount(1, from)).toBe(true)
  })
})
