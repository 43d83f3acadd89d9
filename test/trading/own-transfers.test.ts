import fc from 'fast-check'
import { encodeFunctionData, erc20Abi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BookingEntity } from '../../src/adapters/storage/entities/books.ts'
import { type Hex, nativeToken, sameAddress } from '../../src/domain/ports/chains.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { seed, sized } from '../sized.ts'
import type { Person } from './orders.ts'
import { openPublicTradingWorld, type PublicTradingWorld } from './public-world.ts'

let world: PublicTradingWorld
let ada: Person
/** Two that the owner sends from, and one that the gateway trades with: nonces of one wallet are not for both. */
let wallets: readonly Hex[]

beforeAll(async () => {
  world = await openPublicTradingWorld()
  ada = await world.person()
  for (const wallet_ref of ['savings', 'desk']) await world.call('trading.createWallet', ada.userId, { wallet_ref })
  const all = async () => await world.ports.wallets.list(ada.userId)
  await until(async () => (await all()).every(({ funding }) => funding === 'done'), 'their money')
  wallets = (await all()).map(({ address }) => address)
  await world.anvil.call('anvil_mine', '0x8') // no reorganisation reaches the starting money
})
afterAll(async () => await world.close())

const symbols = ['ETH', 'WETH', 'USDC'] as const
const addressOf = (symbol: string): Hex => (symbol === 'ETH' ? nativeToken : world.token(symbol))

const transfer = fc.record({
  kind: fc.constant('transfer' as const),
  from: fc.nat(1),
  symbol: fc.constantFrom(...symbols),
  share: fc.bigInt({ min: 3n, max: 50n }),
})
const step = fc.oneof(
  { weight: 3, arbitrary: transfer },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reorganisation' as const), depth: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const) }) },
  { weight: 2, arbitrary: transfer.map((one) => ({ ...one, from: 1, kind: 'transfer under a trade' as const })) },
)

/** Signed transactions that a reorganisation may have removed, by hash. */
const signed = new Map<Hex, Hex>()
const isMined = async (hash: Hex) => (await world.chain.receipt(hash)) !== null

/** What the owner sends with the key of a wallet, without the gateway. */
async function send(from: Hex, to: Hex, symbol: string, share: bigint): Promise<void> {
  const { chain, ports } = world
  const token = addressOf(symbol)
  const { native, tokens } = await chain.balances(from, symbol === 'ETH' ? [] : [token])
  const amount = (symbol === 'ETH' ? native : tokens[0]!) / share
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
  const call = symbol === 'ETH' ? { to, value: amount, data: '0x' as Hex } : { to: token, value: 0n, data }
  const nonce = await chain.nonce(from, 'latest')
  const fees = await chain.fees()
  const { raw, hash } = await ports.signer.sign(from, {
    ...call,
    ...fees,
    chainId: chain.info.id,
    nonce,
    gas: 120_000n,
  })
  signed.set(hash, raw)
  await chain.broadcast(raw)
  await until(async () => await isMined(hash), 'the transfer')
}

/** Sends again what a reorganisation removed; what another one with its nonce replaced stays out. */
async function again(): Promise<void> {
  for (const [hash, raw] of signed) {
    if (await isMined(hash)) continue
    const accepted = await world.chain.broadcast(raw).then(
      () => true,
      () => false,
    )
    if (accepted) await until(async () => await isMined(hash), 'the transfer again').catch(() => undefined)
  }
}

let keys = 0

/** What one wallet sends the other while that one trades, and somebody reads the books all the time. */
async function sendUnderTrade(symbol: string, share: bigint): Promise<void> {
  const input = {
    ...{ chain_id: world.chain.info.id, slippage_bps: 300, simulate_only: false },
    ...{ token_in_address: addressOf('WETH'), token_out_address: addressOf('USDC') },
    ...{ amount_in: '0.05', amount_in_currency: 'token_units' },
  }
  const request = { input, confirm: true, wallet_ref: 'desk', idempotency_key: `key-${++keys}`, skip_risk: true }
  let open = true
  const traded = world.call<{ status: string }>('trading.execute', ada.userId, request).finally(() => (open = false))
  const sent = send(wallets[1]!, wallets[2]!, symbol, share)
  while (open) await world.call('metrics.positions', ada.userId, {})
  await sent
  expect((await traded).output.status).toBe('success')
}

async function reorganise(depth: number): Promise<void> {
  await world.anvil.call('evm_setIntervalMining', 0)
  await world.anvil.call('anvil_reorg', depth, [])
  await world.anvil.call('evm_setIntervalMining', 1)
}

/** By how much the books of each wallet differ from the chain, after they were read. */
async function differences(): Promise<string[]> {
  await world.call('metrics.positions', ada.userId, {})
  const rows = await world.ports.ledger.positions({ userId: ada.userId })
  const found: string[] = []
  for (const wallet of wallets) {
    const { native, tokens } = await world.chain.balances(wallet, symbols.slice(1).map(addressOf))
    for (const [index, symbol] of symbols.entries()) {
      const there = index === 0 ? native : tokens[index - 1]!
      const booked = rows.reduce(
        (sum, row) =>
          sameAddress(row.walletAddress, wallet) && sameAddress(row.token, addressOf(symbol))
            ? sum + row.quantity
            : sum,
        0n,
      )
      if (booked !== there) found.push(`${wallet} ${symbol}: ${booked} booked, ${there} there`)
    }
  }
  return found
}

/** Cost less realised profit: what the owner put in. A transfer between own wallets leaves it to the last digit. */
async function putIn(): Promise<bigint> {
  const rows = await world.ports.ledger.positions({ userId: ada.userId })
  return rows.reduce((sum, { costUsd, realizedPnlUsd }) => sum + costUsd - realizedPnlUsd, 0n)
}

const bookings = async (like: string) =>
  await world.database.tables.count(BookingEntity, { place: { $like: `${ada.userId} %` }, reference: { $like: like } })

test('transfers between own wallets leave what was put in, through any reorganisations', async () => {
  expect(await differences()).toEqual([])
  const before = await putIn()
  const steps = fc.sample(step, { seed, numRuns: sized(12, 40) })
  for (const one of [...steps, { kind: 'again' as const }]) {
    if (one.kind === 'transfer') await send(wallets[one.from]!, wallets[1 - one.from]!, one.symbol, one.share)
    else if (one.kind === 'transfer under a trade') await sendUnderTrade(one.symbol, one.share)
    else if (one.kind === 'again') await again()
    else await reorganise(one.depth)
    await expect.poll(differences, { timeout: 60_000 }).toEqual([])
    expect(await putIn(), one.kind).toBe(before)
  }
  expect(await bookings('found:%')).toBe(0)
  const mined = await Promise.all([...signed.keys()].map(isMined))
  expect(await bookings('own:%')).toBe(mined.filter(Boolean).length)
})

test('readers at the same time book a transfer once', async () => {
  const [own, before] = [await bookings('own:%'), await putIn()]
  await send(wallets[0]!, wallets[1]!, 'USDC', 7n)
  await Promise.all(Array.from({ length: 6 }, () => world.call('metrics.positions', ada.userId, {})))
  expect(await differences()).toEqual([])
  expect(await bookings('own:%')).toBe(own + 1)
  expect(await putIn()).toBe(before)
})
