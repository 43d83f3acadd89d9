import { encodeFunctionData, type Hex, maxUint256, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { feedAbi, tokenAbi, v2RouterAbi, v3RouterAbi } from '../deploy/abis.ts'
import { keeperAccount } from '../deploy/accounts.ts'
import { addresses } from '../deploy/addresses.ts'
import { pools } from '../deploy/market.ts'
import {
  chainId,
  clientOf,
  send,
  sendAndMine,
  temporaryDir,
  testSandbox,
  treasury,
  treasuryKey,
  until,
} from '../fixtures/testing.ts'
import type { ChainEvent } from '../kit/events.ts'
import { stillPrices } from './clock.ts'
import { createKeeper, type KeeperOptions } from './keeper.ts'
import { offBy, poolName, poolQuery, ratioOf } from './pool-correction.ts'

const { weth, usdc, v2Router, v3Router } = addresses
let dir: Awaited<ReturnType<typeof temporaryDir>>
let sandbox: Awaited<ReturnType<typeof testSandbox>>

beforeAll(async () => {
  dir = await temporaryDir()
  sandbox = await testSandbox(dir.path)
})
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

const seconds = () => Math.floor(Date.now() / 1000)

function anotherKeeper(options: Partial<KeeperOptions>) {
  const events: ChainEvent[] = []
  const keeper = createKeeper({
    account: keeperAccount(treasuryKey),
    chainId,
    read: (method, params) => sandbox.request({ method, params }),
    submit: async ({ raw }) => void (await sandbox.request({ method: 'eth_sendRawTransaction', params: [raw] })),
    now: seconds,
    prices: stillPrices(0),
    isMoving: () => false,
    emit: (event) => events.push(event),
    ...options,
  })
  return { keeper, events }
}

/** By how many millionths the price of a pool is off. */
async function off(name: string, eth = 3_000_00000000n): Promise<bigint> {
  const pool = pools.find((candidate) => poolName(candidate) === name)!
  const data = (await sandbox.request({ method: 'eth_call', params: [poolQuery(pool), 'latest'] })) as Hex
  const usd = { ethUsdFeed: eth, btcUsdFeed: 60_000_00000000n, usdcUsdFeed: 1_00000000n, testUsdFeed: 1_00000000n }
  return offBy(pool, ratioOf(pool, data), usd[pool.a.feed], usd[pool.b.feed])
}

const acted = (events: ChainEvent[]) => events.filter((event) => event.type === 'keeper-acted')

test('refreshes every old feed once, with the same price', async () => {
  const { keeper, events } = anotherKeeper({ now: () => seconds() + 1_201 })
  await keeper.tick()
  await keeper.tick()
  expect(acted(events).map((event) => event.subject)).toEqual(['ETH/USD', 'BTC/USD', 'USDC/USD', 'TEST/USD'])
  const round = () =>
    clientOf(sandbox).readContract({ address: addresses.ethUsdFeed, abi: feedAbi, functionName: 'latestRoundData' })
  await until(async () => (await round())[0] === 2n, 'the second round')
  expect((await round())[1]).toBe(3_000_00000000n)
})

test('trades pools of both versions back to the prices of their feeds', async () => {
  const amount = parseEther('160')
  const approve = (spender: Hex) =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, maxUint256] })
  await send(sandbox, treasury, {
    to: weth,
    data: encodeFunctionData({ abi: tokenAbi, functionName: 'deposit' }),
    value: amount,
  })
  await send(sandbox, treasury, { to: weth, data: approve(v2Router) })
  await sendAndMine(sandbox, treasury, { to: weth, data: approve(v3Router) })

  const params = {
    tokenIn: weth,
    tokenOut: usdc,
    fee: 3000,
    recipient: treasury.address,
    amountIn: parseEther('60'),
    amountOutMinimum: 0n,
    sqrtPriceLimitX96: 0n,
  }
  const path = [weth, usdc] as const
  const v3 = encodeFunctionData({ abi: v3RouterAbi, functionName: 'exactInputSingle', args: [params] })
  const v2 = encodeFunctionData({
    abi: v2RouterAbi,
    functionName: 'swapExactTokensForTokens',
    args: [parseEther('100'), 0n, path, treasury.address, maxUint256],
  })
  await send(sandbox, treasury, { to: v3Router, data: v3 })
  expect((await sendAndMine(sandbox, treasury, { to: v2Router, data: v2 })).status).toBe('success')

  for (const name of ['WETH/USDC v3 0.3%', 'WETH/USDC v2 0.3%']) {
    await until(() => acted(sandbox.events).some((event) => event.subject === name), `the correction of ${name}`)
    await until(async () => (await off(name)) < 1_000n, `${name} to be fair`)
  }
})

test('corrects the other direction too', async () => {
  const approve = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [v2Router, maxUint256] })
  await send(sandbox, treasury, { to: usdc, data: approve })
  const args = [200_000_000000n, 0n, [usdc, addresses.weth], treasury.address, maxUint256] as const
  const data = encodeFunctionData({ abi: v2RouterAbi, functionName: 'swapExactTokensForTokens', args })
  expect((await sendAndMine(sandbox, treasury, { to: v2Router, data })).status).toBe('success')
  await until(async () => (await off('WETH/USDC v2 0.3%')) < 1_000n, 'the pool to be fair')
})

test('follows a price that is set with every feed, and with every pool in one transaction', async () => {
  const before = acted(sandbox.events).length
  expect(sandbox.market.setPrice('ETH', 2_400)).toMatchObject({ mode: 'still', usd: { ETH: 2_400, BTC: 60_000 } })
  const answer = async (address: Hex) =>
    (await clientOf(sandbox).readContract({ address, abi: feedAbi, functionName: 'latestRoundData' }))[1]
  await until(async () => (await answer(addresses.ethUsdFeed)) === 2_400_00000000n, 'the round')
  await until(async () => (await off('WETH/USDC v2 0.3%', 2_400_00000000n)) < 500n, 'the pool to be fair')
  expect(await answer(addresses.testUsdFeed)).toBe(80000000n)
  for (const pool of pools) expect(await off(poolName(pool), 2_400_00000000n)).toBeLessThan(500n)
  const events = acted(sandbox.events).slice(before)
  const traded = pools.map(poolName).filter((name) => name !== 'WBTC/USDC v3 0.3%')
  expect(events.map(({ subject }) => subject)).toEqual(['ETH/USD', 'TEST/USD', ...traded])
  expect(new Set(events.slice(2).map(({ hash }) => hash)).size).toBe(1)
})

test('reports what fails once, and tries it again after a while', async () => {
  let at = seconds() + 1_201
  const submit = () => Promise.reject(new Error('no'))
  const { keeper, events } = anotherKeeper({ submit, now: () => at })
  const failed = () => events.filter((event) => event.type === 'keeper-failed').map(({ subject }) => subject)
  /** A transaction of the sandbox's own keeper may wait, which postpones a tick. */
  const failsAnew = async () => {
    const before = failed().length
    await until(async () => {
      await keeper.tick()
      return failed().length > before
    }, 'a failure')
  }
  await failsAnew()
  const first = failed()
  expect(first).toEqual(expect.arrayContaining(['BTC/USD', 'USDC/USD']))
  await keeper.tick()
  expect(failed()).toEqual(first)
  at += 31
  await failsAnew()
})
