import { type Hex, numberToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { isLong } from '../../../test/sized.ts'
import { type BareChain, buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { chainId, temporaryDir, treasury } from '../fixtures/testing.ts'
import type { ChainEvent } from '../kit/events.ts'
import { firstMissingNonce, makeRoom } from './limits.ts'
import { createPendingPool, type Signed, signed } from './pending-pool.ts'
import { timeoutBlocks } from './resubmit.ts'

const address = (number: number) => numberToHex(number, { size: 20 })
const made = (by: number, nonce: number, bytes = 100, price = 0): Signed => ({
  from: address(by),
  nonce,
  cost: 0n,
  raw: `0x${'00'.repeat(bytes)}`,
  hash: numberToHex((BigInt(by) << 64n) + (BigInt(nonce) << 32n) + BigInt(price), { size: 32 }),
})

/** An empty pool; the next nonce of every account on the chain is 0. */
function emptyPool() {
  const pool = createPendingPool()
  const take = async (transaction: Signed, systemAccounts: ReadonlySet<Hex> = new Set()) => {
    const evicted = makeRoom(pool, { transaction, next: 0, systemAccounts })
    for (const { hash } of evicted) pool.remove(hash)
    const added = pool.add(transaction, 0)
    added.logged = 'yes'
    const own = pool.of(transaction.from)
    const end = firstMissingNonce(own, 0)
    for (const each of own.values()) each.gapped = each.nonce > end
    return { ...added, evicted }
  }
  return { pool, take }
}

const full = { code: -32003, message: 'txpool is full' }
const greedy = { code: -32003, message: 'account limit exceeded' }

test('the pool is bounded in bytes: its log must be readable at the next start', async () => {
  const { pool, take } = emptyPool()
  for (let by = 0; pool.size() < Math.ceil((32 * 1_048_576) / 130_000); by += 1) await take(made(by, 0, 130_000))
  await expect(take(made(9_999, 0))).rejects.toMatchObject(full)
  pool.remove(made(0, 0).hash)
  await take(made(9_999, 0))
})

test('an account can fill neither the pool alone nor its own part with unminable transactions', async () => {
  const { pool, take } = emptyPool()
  for (let nonce = 1; nonce <= 64; nonce += 1) await take(made(1, nonce))
  await expect(take(made(1, 65))).rejects.toMatchObject(greedy)
  // A transaction in the gap is not gapped, nor are those that follow it.
  await take(made(1, 0))
  for (let nonce = 65; pool.size() < 1_000; nonce += 1) await take(made(1, nonce))
  await expect(take(made(1, 2_000))).rejects.toMatchObject(greedy)
  await expect(take(made(1, 1_000))).rejects.toMatchObject(greedy)
  for (let nonce = 0; nonce < 16; nonce += 1) await take(made(2, nonce))
  await expect(take(made(2, 16))).rejects.toMatchObject(greedy)
  for (let by = 3; pool.size() < 2_000; by += 1) await take(made(by, 0))
  await expect(take(made(9_999, 0))).rejects.toMatchObject(full)
  expect((await take(made(1, 7, 200, 1))).replaces).toMatchObject(made(1, 7))
  expect(pool.size()).toBe(2_000)
  expect(pool.get(made(1, 7).hash)).toBeUndefined()
})

test('gapped transactions have a quarter of the pool, and are evicted for others', async () => {
  const { pool, take } = emptyPool()
  for (let by = 0; pool.size() < 500; by += 1) for (let nonce = 1; nonce <= 50; nonce += 1) await take(made(by, nonce))
  await expect(take(made(100, 1))).rejects.toMatchObject(full)
  for (let by = 1_000; pool.size() < 2_000; by += 1) await take(made(by, 0))
  await expect(take(made(100, 1))).rejects.toMatchObject(full)
  const { evicted } = await take(made(100, 0))
  expect(evicted.map(({ hash }) => hash)).toEqual(Array.from({ length: 50 }, (_, at) => made(9, 1 + at).hash))
  expect(pool.size()).toBe(1_951)
})

test('the same limits hold in bytes', async () => {
  const { pool, take } = emptyPool()
  for (let by = 0; pool.size() < Math.ceil((8 * 1_048_576) / 130_000); by += 1) await take(made(by, 1, 130_000))
  await expect(take(made(100, 1))).rejects.toMatchObject(full)
  await take(made(100, 0))
})

test('system accounts get into a full pool', async () => {
  const { pool, take } = emptyPool()
  const systemAccounts = new Set([address(7)])
  for (let by = 1_000; pool.size() < 2_000; by += 1) await take(made(by, 0))
  await expect(take(made(8, 0))).rejects.toMatchObject(full)
  for (let nonce = 0; nonce < 500; nonce += 1) await take(made(7, nonce), systemAccounts)
  await expect(take(made(7, 500), systemAccounts)).rejects.toMatchObject(full)
})

type Fields = { nonce: number; tip?: bigint }

async function submit({ chain }: BareChain, { nonce, tip = 1n }: Fields, by = treasury): Promise<Hex> {
  const raw = await by.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    gas: 21_000n,
    to: treasury.address,
    maxFeePerGas: 10n ** 9n * tip,
    maxPriorityFeePerGas: tip,
  })
  const transaction = signed(raw, by.address, nonce)
  await chain.submit(transaction)
  return transaction.hash
}

test.runIf(isLong)('gapped transactions are bounded by account, and dropped after a timeout', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const events: ChainEvent[] = []
  await using bare = await openBare(dir.path, (event) => events.push(event))
  const stranger = privateKeyToAccount(generatePrivateKey())
  const dropped = () => events.filter((event) => event.type === 'transaction-dropped')
  const calls = async () => {
    const { engine } = bare
    const { call } = engine()
    let count = 0
    engine().call = (...args) => {
      count += 1
      return call(...args)
    }
    await bare.produceBlock()
    engine().call = call
    return count
  }

  const never = await submit(bare, { nonce: 1 }, stranger)
  await bare.produceBlock()
  const few = await calls()
  for (let nonce = 1; nonce <= 64; nonce += 1) await submit(bare, { nonce })
  await expect(submit(bare, { nonce: 65 })).rejects.toMatchObject(greedy)
  expect(await calls()).toBe(few)
  const late = await submit(bare, { nonce: 0 })
  const replaced = await submit(bare, { nonce: 65 })
  const instead = await submit(bare, { nonce: 65, tip: 2n })
  expect(dropped()).toEqual([{ type: 'transaction-dropped', hash: replaced, reason: `replaced by ${instead}` }])
  await bare.engine().kill()
  await bare.produceBlock()
  for (const hash of [late, instead])
    expect(await bare.chain.read('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  expect(bare.chain.pendingCount()).toBe(1)

  for (let block = 0; block < timeoutBlocks; block += 1) await bare.produceBlock()
  expect(dropped().slice(1)).toEqual([
    { type: 'transaction-dropped', hash: never, reason: 'waited 900 blocks for an earlier nonce' },
  ])
  expect(bare.chain.pendingCount()).toBe(0)
  expect(await bare.chain.read('eth_getTransactionByHash', [never])).toBeNull()

  // No dropped transaction comes back with another engine.
  await bare.engine().kill()
  await bare.produceBlock()
  expect(events.findLast(({ type }) => type === 'chain-restored')).toMatchObject({ pending: 0 })
  expect(dropped().length).toBe(2)
})
