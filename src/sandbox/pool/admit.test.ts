import { type Hex, numberToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { chainId, temporaryDir, treasury } from '../fixtures/testing.ts'
import type { ChainEvent } from '../kit/events.ts'
import { acceptanceRecords, admit, reportDropped, withdrawFailed } from './admit.ts'
import { createPendingPool, signed } from './pending-pool.ts'

test('transactions evicted from a full pool leave the engine too, and are reported', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const engine = bare.engine()
  const pool = createPendingPool()
  const events: ChainEvent[] = []
  const context = { engine, pool, head: 1, systemAccounts: new Set<Hex>() }
  const take = async (by: typeof treasury, nonce: number) => {
    const fields = { type: 'eip1559', chainId, nonce, gas: 21_000n, to: treasury.address } as const
    const raw = await by.signTransaction({ ...fields, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n })
    return await admit(context, { ...signed(raw, by.address, nonce), cost: 0n })
  }
  const accept = async (by: typeof treasury, nonce: number) => {
    const waiting = await take(by, nonce)
    const drops = acceptanceRecords(waiting).flatMap((record) => (record.type === 'drop' ? record.hash : []))
    expect(drops).toEqual(nonce === 0 && by === other ? evicted : [])
    waiting.logged = 'yes'
    reportDropped(waiting, (event) => events.push(event))
    return waiting.hash
  }
  const inEngine = async () => {
    const { pending, queued } = (await engine.call('txpool_inspect')) as Record<string, Record<Hex, object>>
    return [pending, queued].map((part) => Object.entries(part ?? {}).map(([from, own]) => [from, Object.keys(own)]))
  }
  const [gapped, other] = [privateKeyToAccount(generatePrivateKey()), privateKeyToAccount(generatePrivateKey())]
  const evicted = [await accept(gapped, 1), await accept(gapped, 3)]
  const stays = await accept(gapped, 0)
  const late = evicted.shift() as Hex
  for (let by = 1; pool.size() < 2_000; by += 1) {
    const from = numberToHex(by, { size: 20 })
    pool.add({ from, nonce: 0, cost: 0n, raw: '0x00', hash: numberToHex(by, { size: 32 }) }, 1)
  }
  const failing = await take(other, 0)
  failing.logged = 'failed'
  await withdrawFailed(engine, pool)
  expect([pool.get(evicted[0] as Hex)?.logged, pool.get(failing.hash), events]).toEqual(['yes', undefined, []])
  expect((await inEngine())[1]).toEqual([[gapped.address.toLowerCase(), ['3']]])
  const last = await accept(other, 0)
  expect(events).toEqual([
    { type: 'transaction-dropped', hash: evicted[0], reason: `the pool is full, and ${last} can be executed` },
  ])
  for (const hash of [stays, late, last]) expect(pool.get(hash)).toBeDefined()
  const [pending, queued] = await inEngine()
  expect(new Map(pending as [])).toEqual(
    new Map([
      [gapped.address.toLowerCase(), ['0', '1']],
      [other.address.toLowerCase(), ['0']],
    ]),
  )
  expect(queued).toEqual([])
})
