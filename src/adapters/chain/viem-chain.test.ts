import { keccak256, parseEther, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Chain, Hex, Leg, Receipt, Route, SwapPlan } from '../../domain/ports/chains.ts'
import { temporaryDir, testSandbox, treasury, until } from '../../sandbox/fixtures/testing.ts'
import { callsOnly, embeddedNode } from './fixtures/nodes.ts'
import { connect } from './reads/connection.ts'
import { verifyDeployment } from './reads/verify.ts'
import { openChain } from './viem-chain.ts'

const trader = privateKeyToAccount(`0x${'31'.repeat(32)}`)
const pauper: Hex = '0x1111111111111111111111111111111111111111'
const soon = () => BigInt(Math.floor(Date.now() / 1_000) + 3_600)

let dir: Awaited<ReturnType<typeof temporaryDir>>
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let node: Awaited<ReturnType<typeof embeddedNode>>
let chain: Chain
const asked: string[] = []

beforeAll(async () => {
  dir = await temporaryDir()
  sandbox = await testSandbox(dir.path)
  const request: typeof sandbox.request = (call) => {
    asked.push(call.method)
    return sandbox.request(call)
  }
  node = await embeddedNode(sandbox, sandbox.deployment.chain_id)
  const { direct } = callsOnly(request)
  chain = openChain({ deployment: sandbox.deployment, node: { ...node, direct }, sandbox: true })
  await mined(treasury, {
    kind: 'fund',
    call: { to: sandbox.funder.address, ...sandbox.funder.encode(trader.address) },
    gas: 1_000_000n,
  })
})
afterAll(async () => {
  await node[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

const token = (symbol: string): Hex => sandbox.deployment.tokens.find((known) => known.symbol === symbol)!.address
const planOf = (route: Route, amountIn: bigint, more: Partial<SwapPlan> = {}): SwapPlan => ({
  route,
  owner: trader.address,
  amountIn,
  minimumOut: 0n,
  deadline: soon(),
  ...more,
})

async function signed(from: typeof trader, leg: Leg, nonce: number): Promise<Hex> {
  const { maxFeePerGas, maxPriorityFeePerGas } = await chain.fees()
  return await from.signTransaction({
    type: 'eip1559',
    chainId: chain.info.id,
    nonce,
    gas: leg.gas,
    ...leg.call,
    maxFeePerGas,
    maxPriorityFeePerGas: maxPriorityFeePerGas!,
  })
}

async function mined(from: typeof trader, leg: Leg): Promise<Receipt> {
  const raw = await signed(from, leg, await chain.nonce(from.address, 'pending'))
  await chain.broadcast(raw)
  const found: Receipt[] = []
  await until(async () => {
    const receipt = await chain.receipt(keccak256(raw))
    return receipt !== null && found.push(receipt) > 0
  }, 'the receipt')
  return found[0]!
}

async function bestFor(from: string, to: string, amountIn: bigint) {
  const { quotes } = await chain.quoteRoutes(token(from), token(to), amountIn)
  return { quotes, best: quotes[0]! }
}

test('the deployment fits its chain, and one that does not is refused with the differences', async () => {
  await verifyDeployment(connect(sandbox.deployment, node, true))
  const { uniswap_v3: v3, feeds } = sandbox.deployment
  const wrong = {
    ...sandbox.deployment,
    uniswap_v3: { ...v3, router: sandbox.deployment.uniswap_v2.router },
    feeds: [{ ...feeds[0]!, pair: 'DOGE/USD' }],
  }
  await expect(verifyDeployment(connect(wrong, node, true))).rejects.toThrow(
    /v3 router .*DOGE\/USD calls itself ETH\/USD/,
  )
  await expect(verifyDeployment(connect({ ...wrong, chain_id: 1 }, node, true))).rejects.toThrow(/serves chain 84532/)
})

test('what is read at a block is read once for all callers', async () => {
  const readings = async () => {
    const { hash } = await chain.head()
    const tokens = [token('USDC'), token('WETH')]
    await Promise.all([
      chain.price('ETH/USD'),
      chain.balances(trader.address, tokens),
      chain.fees(),
      chain.finality(),
      chain.readToken(tokens[0]!),
      bestFor('WETH', 'USDC', parseEther('1')),
    ])
    return hash
  }
  // A block may come meanwhile.
  for (let isSame = false; !isSame; ) {
    const block = await readings()
    asked.length = 0
    await Promise.all([readings(), readings()])
    isSame = (await chain.head()).hash === block
  }
  expect(asked).toEqual([])
})

test('the hash of a block is read anew each time, so that one that has left the chain is noticed', async () => {
  const hashes = ['0xaa', '0xbb']
  const direct = async () => ({ hash: hashes.shift() })
  const moving = openChain({ deployment: sandbox.deployment, node: { ...node, direct }, sandbox: true })
  expect([await moving.blockHash(1n), await moving.blockHash(1n)]).toEqual(['0xaa', '0xbb'])
})

describe('quotes', () => {
  test('price all routes of one and two hops at one block, best first, in few round trips', async () => {
    await bestFor('WETH', 'USDC', 1n)
    asked.length = 0
    const { quotes } = await bestFor('WETH', 'USDC', parseEther('1'))
    expect(asked.filter((method) => method !== 'eth_call')).toEqual([])
    expect(asked.length).toBeLessThanOrEqual(1)
    expect(quotes.map(({ route }) => `${route.venue} ${route.feePips.join('+')}`)).toEqual(
      expect.arrayContaining(['uniswap_v2 3000', 'uniswap_v3 500', 'uniswap_v3 3000', 'uniswap_v3 500+3000']),
    )
    const outs = quotes.map(({ amountOut }) => amountOut)
    expect(outs).toEqual([...outs].sort((left, right) => (left > right ? -1 : 1)))
    for (const { amountOut, spotOut } of quotes) expect(amountOut < spotOut).toBe(true)
  })

  test('yield what the swap then yields, on every venue and over two hops', async () => {
    for (const { route, amountOut } of (await bestFor('WETH', 'USDC', parseEther('2'))).quotes) {
      const plan = planOf(route, parseEther('2'), { owner: pauper })
      expect(await chain.simulateSwap(plan, { fundOwner: true })).toMatchObject({ ok: true, amountOut })
    }
  })

  test('are none where no pool can fill the amount', async () => {
    const { quotes } = await chain.quoteRoutes(pauper, token('USDC'), 1_000n)
    expect(quotes).toEqual([])
  })

  test('gas is estimated for somebody who holds nothing', async () => {
    const { best } = await bestFor('USDC', 'WETH', parseUnits('100', 6))
    const gas = await chain.estimateSwapGas(best, parseUnits('100', 6))
    expect(gas > 90_000n && gas < 400_000n).toBe(true)
  })
})

describe('simulation', () => {
  test.each([
    ['nothing to sell', {}, false, /STF|TRANSFER_FROM_FAILED/, /balance/],
    [
      'a minimum that is not met',
      { minimumOut: 10n ** 30n },
      true,
      /Too little received|INSUFFICIENT_OUTPUT/,
      /slippage/,
    ],
    ['a deadline that is over', { deadline: 1n }, true, /Transaction too old|EXPIRED/, /deadline/],
  ])('%s', async (_name, more, fundOwner, reason, advice) => {
    for (const { route } of (await bestFor('WETH', 'USDC', parseEther('1'))).quotes) {
      const plan = planOf(route, parseEther('1'), { owner: pauper, ...more })
      expect(await chain.simulateSwap(plan, { fundOwner })).toMatchObject({
        ok: false,
        reason: expect.stringMatching(reason),
        advice: expect.stringMatching(advice),
      })
    }
  })

  test('a taxed token yields what is left after its tax', async () => {
    const { best } = await bestFor('RUG', 'WETH', parseEther('1000'))
    const result = await chain.simulateSwap(planOf(best.route, parseEther('1000')), { fundOwner: true })
    expect(result).toMatchObject({ ok: true })
    const share = Number((result as { amountOut: bigint }).amountOut) / Number(best.amountOut)
    expect(share).toBeGreaterThan(0.74)
    expect(share).toBeLessThan(0.76)
  })
})

describe('trades', () => {
  test('approve exactly, swap, and fill what was quoted', async () => {
    const amountIn = parseEther('0.5')
    const { best } = await bestFor('WETH', 'USDC', amountIn)
    const before = await chain.balances(trader.address, [token('USDC'), token('WETH')])
    const legs = await chain.swapLegs(planOf(best.route, amountIn))
    expect(legs.map((leg) => leg.kind)).toEqual(['approve', 'swap'])
    for (const leg of legs.slice(0, -1)) expect((await mined(trader, leg)).status).toBe('success')
    // Another trade of the same amount may use the existing allowance.
    const again = await chain.swapLegs(planOf(best.route, amountIn))
    expect(again.map((leg) => leg.kind)).toEqual(['approve', 'swap'])
    const receipt = await mined(trader, legs.at(-1)!)
    const fill = chain.fillOf(receipt, best.route, trader.address)
    const after = await chain.balances(trader.address, [token('USDC'), token('WETH')])
    expect(fill).toEqual({ amountIn, amountOut: after.tokens[0]! - before.tokens[0]! })
    expect(before.tokens[1]! - after.tokens[1]!).toBe(amountIn)
    expect(receipt.feeWei > 0n && receipt.gasUsed <= legs.at(-1)!.gas).toBe(true)
    // The gas limit covers an approval from zero, although an allowance existed when it was measured.
    expect((await mined(trader, again[0]!)).status).toBe('success')
  })

  test('of a taxed token fill what arrives, and a large sale is seen as whale flow', async () => {
    const rug = token('RUG')
    const trade = async (from: string, to: string, amountIn: bigint) => {
      const { best } = await bestFor(from, to, amountIn)
      const legs = await chain.swapLegs(planOf(best.route, amountIn))
      let receipt = await mined(trader, legs[0]!)
      for (const leg of legs.slice(1)) receipt = await mined(trader, leg)
      return { best, fill: chain.fillOf(receipt, best.route, trader.address) }
    }
    const bought = await trade('WETH', 'RUG', parseEther('0.5'))
    expect(bought.fill).toEqual({ amountIn: parseEther('0.5'), amountOut: bought.best.amountOut })
    const before = await chain.balances(trader.address, [token('WETH')])
    const sold = await trade('RUG', 'WETH', bought.fill.amountOut)
    const after = await chain.balances(trader.address, [token('WETH'), rug])
    expect(sold.fill).toEqual({ amountIn: bought.fill.amountOut, amountOut: after.tokens[0]! - before.tokens[0]! })
    expect(after.tokens[1]).toBe(0n)
    const { moves, fromBlock, block, pools } = await chain.readFlow(rug)
    expect(block.number >= fromBlock && fromBlock >= BigInt(sandbox.deployment.first_traded_block!)).toBe(true)
    const [pool] = pools
    const swapped = moves!.filter((move) => move.swapped)
    expect(swapped.map(({ from, to, value }) => ({ from, to, value }))).toEqual([
      { from: pool!.pool, to: trader.address, value: bought.fill.amountOut },
      { from: trader.address, to: pool!.pool, value: expect.any(BigInt) },
      { from: trader.address, to: sandbox.treasury, value: expect.any(BigInt) },
    ])
  })

  test('report why they reverted', async () => {
    const amountIn = parseEther('0.1')
    const { best } = await bestFor('WETH', 'USDC', amountIn)
    const legs = await chain.swapLegs(planOf(best.route, amountIn, { deadline: 1n }))
    for (const leg of legs.slice(0, -1)) await mined(trader, leg)
    const receipt = await mined(trader, legs.at(-1)!)
    expect(receipt.status).toBe('reverted')
    const why = await chain.revertReason(receipt.hash)
    expect(why.reason).toMatch(/Transaction too old|EXPIRED/)
    expect(why.advice).toMatch(/deadline/)
  })
})

test('sending twice is success, and a refusal names its kind', async () => {
  const leg: Leg = { kind: 'fund', call: { to: pauper, data: '0x', value: 1n }, gas: 21_000n }
  const nonce = await chain.nonce(trader.address, 'latest')
  const raw = await signed(trader, leg, nonce)
  await chain.broadcast(raw)
  await chain.broadcast(raw)
  await until(async () => (await chain.nonce(trader.address, 'latest')) > nonce, 'the nonce')
  await chain.broadcast(raw)
  const late = await signed(trader, { ...leg, call: { ...leg.call, value: 2n } }, nonce)
  await expect(chain.broadcast(late)).rejects.toMatchObject({
    code: 'TRANSACTION_REJECTED',
    details: { metadata: { refusal: 'nonce_too_low' } },
  })
  const poor = await signed(privateKeyToAccount(`0x${'77'.repeat(32)}`), leg, 0)
  await expect(chain.broadcast(poor)).rejects.toMatchObject({
    details: { metadata: { refusal: 'insufficient_funds' } },
  })
})

test('prices, heads and receipts that are not there', async () => {
  expect(await chain.price('ETH/USD')).toMatchObject({ decimals: 8, answer: 3_000_00000000n, heartbeatSeconds: 3_600 })
  expect(await chain.price('DOGE/USD')).toBeNull()
  expect(await chain.receipt(`0x${'ab'.repeat(32)}`)).toBeNull()
  const heads: bigint[] = []
  const stop = chain.onBlock((head) => heads.push(head.number))
  await until(() => heads.length > 0, 'a block')
  stop()
  expect((await chain.head()).number).toBeGreaterThanOrEqual(heads[0]!)
})

test('a chain that does not answer is unavailable, never without pools', async () => {
  const request = async () => {
    throw Object.assign(new Error('the chain engine is restarting, try again'), { code: -32_002 })
  }
  const silent = openChain({ deployment: sandbox.deployment, node: callsOnly(request), sandbox: true })
  await expect(silent.quoteRoutes(token('WETH'), token('USDC'), 1n)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(silent.broadcast('0x02')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(silent.readToken(token('USDC'))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})
