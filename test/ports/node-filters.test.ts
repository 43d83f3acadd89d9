import { expect, test } from 'vitest'
import { openNodeFilters } from '../../src/adapters/storage/node-filters.ts'
import type { NodeFilter } from '../../src/domain/ports/node-filters.ts'
import { eachDatabase } from './databases.ts'
import { at } from './rows.ts'

const filterOf = (id: string): NodeFilter => ({
  id,
  kind: 'logs',
  criteria: { address: '0x1', topics: [null, ['0x2']] },
  told: [{ number: 7, hash: '0xa' }],
  readAt: at,
  reads: 0,
})

eachDatabase('node filters', (open) => {
  test('come back as they were kept, and are gone once removed', async () => {
    const filters = openNodeFilters(await open())
    await filters.create(filterOf('0x10'))
    expect(await filters.find('0x10')).toEqual(filterOf('0x10'))
    expect(await filters.remove('0x10')).toBe(true)
    expect(await filters.remove('0x10')).toBe(false)
    expect(await filters.find('0x10')).toBeNull()
  })

  test('of simultaneous readings of one state a single one goes on', async () => {
    const filters = openNodeFilters(await open())
    const filter = filterOf('0x11')
    await filters.create(filter)
    const later = new Date(at.getTime() + 1_000)
    const told = [{ number: 8, hash: '0xb' }, ...filter.told]
    const readings = await Promise.all([1, 2, 3].map(() => filters.advance(filter, told, later)))
    expect(readings.filter(Boolean)).toHaveLength(1)
    expect(await filters.find('0x11')).toEqual({ ...filter, told, readAt: later, reads: 1 })
  })

  test('that nobody reads are purged', async () => {
    const filters = openNodeFilters(await open())
    await filters.create(filterOf('0x12'))
    await filters.create({ ...filterOf('0x13'), readAt: new Date(at.getTime() + 10) })
    await filters.purge(new Date(at.getTime() + 5))
    expect([await filters.find('0x12'), (await filters.find('0x13'))?.id]).toEqual([null, '0x13'])
  })
})
