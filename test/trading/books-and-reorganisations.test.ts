import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseExact } from '../../src/adapters/storage/connection/exact-json.ts'
import { BookingEntity } from '../../src/adapters/storage/entities/books.ts'
import { parseReference } from '../../src/domain/core/reference.ts'
import { type Chain, type Hex, nativeToken, sameAddress } from '../../src/domain/ports/chains.ts'
import type { Entry } from '../../src/domain/ports/ledger.ts'
import { isBeforeNonce } from '../../src/domain/sending/execution-state.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { sized } from '../sized.ts'
import type { Answer, Person } from './orders.ts'
import { payerIn } from './payments.ts'
import { openPublicTradingWorld, type PublicTradingWorld } from './public-world.ts'
import { allowanceOf } from './world.ts'

let world: PublicTradingWorld
let ada: Person
let bob: Person
let payer: ReturnType<typeof payerIn>
/** The trades' minimum is more than any pool can pay, which only the chain notices. */
let greedy = false

beforeAll(async () => {
  world = await openPublicTradingWorld()
  ada = await world.person()
  bob = await world.person()
  payer = payerIn(world)
  await world.breakAt(({ chains }) => {
    const all = chains.all.map((chain): Chain => {
      const swapLegs: Chain['swapLegs'] = (plan) =>
        chain.swapLegs(greedy ? { ...plan, minimumOut: plan.amountIn * 10n ** 30n } : plan)
      return { ...chain, swapLegs }
    })
    return { chains: { all, default: all[0]!, find: (id) => all.find(({ info }) => info.id === id) ?? null } }
  })
  await world.resume()
})
afterAll(async () => await world.close())

const symbols = ['ETH', 'WETH', 'USDC', 'WBTC'] as const
const addressOf = (symbol: string): Hex => (symbol === 'ETH' ? nativeToken : world.token(symbol))

async function held(): Promise<ReadonlyMap<string, bigint>> {
  const tokens = symbols.slice(1).map(addressOf)
  const { native, tokens: amounts } = await world.chain.balances(ada.address, tokens)
  return new Map([[nativeToken, native], ...tokens.map((token, index) => [token, amounts[index]!] as const)])
}

let keys = 0
type Trade = { agent: string; pair: readonly [string, string]; share: bigint; reverts: boolean }

async function trade({ agent, pair, share, reverts }: Trade): Promise<Answer> {
  const [from, to] = pair.map(addressOf) as [Hex, Hex]
  const input = {
    chain_id: 84_532,
    token_in_address: from,
    token_out_address: to,
    slippage_bps: 300,
    simulate_only: false,
    amount_in: `${(await held()).get(from)! / share + 1n}`,
    amount_in_currency: 'base_units',
  }
  const request = { input, confirm: true, wallet_ref: 'default', idempotency_key: `key-${++keys}`, agent }
  greedy = reverts
  const response = world.call<Answer>('trading.execute', ada.userId, { ...request, skip_risk: true })
  return (await response.finally(() => (greedy = false))).output
}

/** Replaces so many of the newest blocks by empty ones. */
async function reorganise(depth: number): Promise<void> {
  await world.anvil.call('evm_setIntervalMining', 0)
  await world.anvil.call('anvil_reorg', depth, [])
  await world.anvil.call('evm_setIntervalMining', 1)
}

/** Waits until a trade is between its nonce and its block. */
async function reorganiseUnder(depth: number, under: Trade): Promise<void> {
  const { idempotency_key: key } = { idempotency_key: `key-${keys + 1}` }
  const response = trade(under)
  const onItsWay = async () => {
    const found = await world.ports.executions.findByKey(ada.userId, key)
    return found !== null && !isBeforeNonce(found.state)
  }
  await Promise.race([response, until(onItsWay, 'the trade to have its nonce', 30_000)])
  await reorganise(depth)
  await response
}

/** Waits until both have no open transactions or starting money, and each removed block is known. */
async function settle(): Promise<void> {
  const still = async () => {
    if ((await lostBlocks()) > 0) return false
    const busy = await Promise.all(
      [ada.address, bob.address, world.ports.signer.treasury!].map((from) =>
        world.ports.outbox.busy(world.chain.info.id, from),
      ),
    )
    return !busy.includes(true)
  }
  await until(still, 'all to be decided')
}

/** How many removed blocks transactions still refer to. */
async function lostBlocks(): Promise<number> {
  const { chain, ports } = world
  const believed = await ports.outbox.confirmingBlocks(chain.info.id)
  const hashes = await Promise.all(believed.map(({ number }) => chain.blockHash(number)))
  return believed.filter(({ hash }, index) => hash !== hashes[index]).length
}

/** The books, summed over all agents for each token, equal the chain. */
async function expectBooksToEqualTheChain(): Promise<void> {
  const differing = async () => {
    await world.call('metrics.positions', ada.userId, {}) // reading the books looks for deposits
    const [rows, there] = [await world.ports.ledger.positions({ userId: ada.userId }), await held()]
    return [...there].flatMap(([token, amount]) => {
      const booked = rows.reduce((sum, row) => (sameAddress(row.token, token) ? sum + row.quantity : sum), 0n)
      return booked === amount ? [] : [{ token, booked, amount }]
    })
  }
  await expect.poll(differing, { timeout: 120_000 }).toEqual([])
}

/** Each booking sums to zero, and all together equal the positions. */
async function expectDoubleEntries(): Promise<void> {
  const sums = new Map<string, bigint>()
  const bookings = await world.database.tables.find(BookingEntity, { place: { $like: `${ada.userId} %` } })
  for (const { entries, reference } of bookings) {
    const tokens = new Map<string, bigint>()
    for (const { account, token, quantity } of parseExact<Entry[]>(entries)) {
      tokens.set(token, (tokens.get(token) ?? 0n) + quantity)
      const key = `${account} ${token.toLowerCase()}`
      sums.set(key, (sums.get(key) ?? 0n) + quantity)
    }
    for (const sum of tokens.values()) expect(sum, reference).toBe(0n)
  }
  for (const { agent, token, quantity } of await world.ports.ledger.positions({ userId: ada.userId })) {
    expect(sums.get(`holding:${agent} ${token.toLowerCase()}`) ?? 0n, `${agent} ${token}`).toBe(quantity)
  }
}

/** No allowance is left over. */
async function expectNoAllowances(): Promise<void> {
  for (const { id } of (await world.ports.executions.list(ada.userId, { cursor: null }, 100)).items) {
    const approval = (await world.ports.outbox.byReference(parseReference(id))).find(({ kind }) => kind === 'approve')
    if (approval !== undefined) expect(await allowanceOf(world, approval), id).toBe(0n)
  }
}

const anyTrade = fc.record<Trade>({
  agent: fc.constantFrom('trading_team', 'momentum', 'carry'),
  pair: fc.constantFrom(
    ...symbols.flatMap((from) => symbols.filter((to) => to !== from).map((to) => [from, to] as const)),
  ),
  share: fc.bigInt({ min: 20n, max: 400n }),
  reverts: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
})
const depth = fc.integer({ min: 1, max: 4 })
const payment = fc.record({
  kind: fc.constant('payment' as const),
  inward: fc.boolean(),
  symbol: fc.constantFrom(...symbols),
  units: fc.bigInt({ min: 1n, max: 50_000n }),
})
const step = fc.oneof(
  fc.record({ kind: fc.constant('trade' as const), trade: anyTrade }),
  payment,
  fc.record({ kind: fc.constant('reorganisation' as const), depth }),
  fc.record({ kind: fc.constant('reorganisation under a trade' as const), depth, trade: anyTrade }),
)

test('the books equal the chain exactly after any trades, reverts, payments and reorganisations', async () => {
  const seen = new Map<string, number>()
  for (const one of fc.sample(step, { seed: 841_127, numRuns: sized(5, 16) })) {
    if (one.kind === 'trade') {
      const { status, message } = await trade(one.trade)
      expect(status, message).toBe(
        one.trade.reverts && one.trade.pair.some((s) => s !== 'ETH' && s !== 'WETH') ? 'failed' : 'success',
      )
    } else if (one.kind === 'payment') {
      const [from, to] = one.inward ? [bob, ada] : [ada, bob]
      await payer.pay(from, to, addressOf(one.symbol), one.units)
    } else if (one.kind === 'reorganisation') await reorganise(one.depth)
    else await reorganiseUnder(one.depth, one.trade)
    seen.set(one.kind, (seen.get(one.kind) ?? 0) + 1)
    await settle()
    await expectBooksToEqualTheChain()
    await payer.expectFound(ada)
    await expectDoubleEntries()
    await expectNoAllowances()
  }
  expect(seen.size).toBe(sized(3, 4))
})
