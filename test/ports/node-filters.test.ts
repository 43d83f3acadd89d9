import { expect, test } from 'vitest'
import { keepPending } from '../../src/adapters/node/chain-node.ts'
import { openNodeFilters } from '../../src/adapters/storage/node/node-filters.ts'
import { randomIds, systemClock } from '../../src/adapters/system/system.ts'
import { getFilterChanges, newPendingTransactionFilter } from '../../src/domain/node/node-filters.ts'
import type { Hex } from '../../src/domain/ports/chains.ts'
import type { NodeFilter } from '../../src/domain/ports/node.ts'
import { eachDatabase } from './databases.ts'
import { at } from './rows.ts'

const filterOf = (id: string): NodeFilter => ({
  id,
  owner: 'somebody',
  kind: 'logs',
  criteria: { address: '0x1', topics: [null, ['0x2']] },
  reported: [{ number: 7, hash: '0xa' }],
  readAt: at,
  reads: 0,
})

eachDatabase('node filters', (open) => {
  test('are read as they were stored, and are gone once removed', async () => {
    const filters = openNodeFilters(await open(), 1)
    await filters.create(filterOf('0x10'))
    expect(await filters.find('0x10')).toEqual(filterOf('0x10'))
    expect(await filters.remove('0x10')).toBe(true)
    expect(await filters.remove('0x10')).toBe(false)
    expect(await filters.find('0x10')).toBeNull()
  })

  test('of simultaneous readings of one state a single one goes on', async () => {
    const filters = openNodeFilters(await open(), 1)
    const filter = filterOf('0x11')
    await filters.create(filter)
    const later = new Date(at.getTime() + 1_000)
    const reported = [{ number: 8, hash: '0xb' }, ...filter.reported]
    const readings = await Promise.all([1, 2, 3].map(() => filters.advance(filter, reported, later)))
    expect(readings.filter(Boolean)).toHaveLength(1)
    expect(await filters.find('0x11')).toEqual({ ...filter, reported, readAt: later, reads: 1 })
  })

  test('are counted by owner', async () => {
    const filters = openNodeFilters(await open(), 1)
    for (const [id, owner] of [
      ['0x14', 'me'],
      ['0x15', 'me'],
      ['0x16', 'you'],
    ] as const)
      await filters.create({ ...filterOf(id), owner })
    expect([await filters.count('me'), await filters.count('you'), await filters.count('nobody')]).toEqual([2, 1, 0])
  })

  test('are those of their chain: another one neither reads nor removes them, but counts them', async () => {
    const database = await open()
    const [filters, others] = [openNodeFilters(database, 1), openNodeFilters(database, 2)]
    await filters.create(filterOf('0x17'))
    expect([await others.find('0x17'), await others.remove('0x17')]).toEqual([null, false])
    expect([await others.count('somebody'), await filters.count('somebody')]).toEqual([1, 1])
    expect(await filters.find('0x17')).toEqual(filterOf('0x17'))
  })

  test('that are not read are deleted', async () => {
    const filters = openNodeFilters(await open(), 1)
    await filters.create(filterOf('0x12'))
    await filters.create({ ...filterOf('0x13'), readAt: new Date(at.getTime() + 10) })
    await filters.purge(new Date(at.getTime() + 5))
    expect([await filters.find('0x12'), (await filters.find('0x13'))?.id]).toEqual([null, '0x13'])
  })
  test('report each pending transaction once, whenever it arrives', async () => {
    using pending = keepPending({ onPending: () => () => undefined })
    const hashOf = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`
    let noted = 0
    const note = () => pending.note(hashOf(++noted))
    const node = {
      head: async () => ({ number: 1n, hash: hashOf(0) }),
      /** Blocks arrive just before and just after it is read. */
      pendingBetween(from: Date, until: Date) {
        note()
        const found = pending.between(from, until)
        note()
        for (const then = Date.now(); Date.now() === then; ); // time passes before the read is stored
        return found
      },
    }
    const ports = { node, clock: systemClock, ids: randomIds, nodeFilters: openNodeFilters(await open(), 1) } as never
    const call = { signal: new AbortController().signal, keyOrAddress: 'address:127.0.0.1' } as never
    const filterId = await newPendingTransactionFilter(ports, {}, call)
    const reported: unknown[] = []
    for (let round = 0; round < 20; round += 1) reported.push(...(await getFilterChanges(ports, { filterId }, call)))
    await expect
      .poll(async () => {
        reported.push(...(await getFilterChanges(ports, { filterId }, call)))
        return reported.includes(hashOf(40))
      })
      .toBe(true)
    expect(new Set(reported).size).toBe(reported.length)
    expect(reported.slice(0, 40)).toEqual(Array.from({ length: 40 }, (_, index) => hashOf(index + 1)))
  })
})
