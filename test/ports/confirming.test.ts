import { expect, test } from 'vitest'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { OutgoingEntity } from '../../src/adapters/storage/entities/sending.ts'
import { openOutbox } from '../../src/adapters/storage/trading/outgoing.ts'
import type { Chain } from '../../src/domain/ports/chains.ts'
import { confirm } from '../../src/domain/sending/confirm.ts'
import { dataFolder } from '../data-folder.ts'
import { from } from './trade-rows.ts'

test('a block costs a few statements, however many trades wait for their final blocks', async () => {
  using folder = dataFolder()
  let statements = 0
  const watch = { statement: () => (statements += 1), committed: () => undefined }
  await using database = await openDatabase({ url: null, dataDir: folder.path }, watch)
  const mined = { state: 'included', outcome: 'success', blockNumber: 9, blockHash: '0xb9', notified: true }
  const call = { kind: 'swap', toAddress: from, data: '0x', value: '0', gas: '1' }
  const rows = Array.from({ length: 1_000 }, (_, nonce) => {
    const place = {
      chainId: 1,
      sender: from.toLowerCase(),
      fromAddress: from,
      nonce,
      reference: `${nonce}`,
      position: 0,
    }
    return { ...place, ...call, ...mined, version: 1, settled: false }
  })
  await database.tables.insertAll(OutgoingEntity, rows)
  const outbox = openOutbox(database)
  const finality = { safe: 8n, finalized: 7n }
  const chain = { info: { id: 1 }, finality: async () => finality, blockHash: async () => '0xb9' } as unknown as Chain
  statements = 0
  expect(await confirm({ outbox }, chain, { number: 10n, hash: '0xb9' })).toBe(true)
  expect(statements).toBeLessThan(5)
  finality.safe = 9n
  statements = 0
  await confirm({ outbox }, chain, { number: 10n, hash: '0xb9' })
  expect((await outbox.confirmingBlocks(1)).map(({ state }) => state)).toEqual(['safe'])
  expect(statements).toBeLessThan(100)
})
