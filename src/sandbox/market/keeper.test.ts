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
import { correction, createKeeper, type KeeperOptions, poolName, readPool } from './keeper.ts'

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
    emit: (event) => events.push(event),
    ...options,
  })
  return { keeper, events }
}

/** Whether the price of a pool is within so many bps of its feeds'. */
async function isFair(name: string, bps: bigint): Promise<boolean> {
  const pool = pools.find((candidate) => poolName(candidate) === name)!
  const ratio = await readPool(
    pool,
    async (to, data) => (await sandbox.request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as Hex,
  )
  return correction(pool, ratio, 3_000_00000000n, 1_00000000n, bps, treasury.address) === null
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
    await until(() => isFair(name, 10n), `${name} to be fair`)
  }
})

test('corrects the other direction too, and reports failures as events', async () => {
  const { keeper, events } = anotherKeeper({ submit: () => Promise.reject(new Error('no')), toleranceBps: -1n })
  await keeper.tick()
  expect(events.filter((event) => event.type === 'keeper-failed').map((event) => event.subject)).toEqual(
    pools.map(poolName),
  )

  const approve = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [v2Router, maxUint256] })
  await send(sandbox, treasury, { to: usdc, data: approve })
  const args = [200_000_000000n, 0n, [usdc, addresses.weth], treasury.address, maxUint256] as const
  const data = encodeFunctionData({ abi: v2RouterAbi, functionName: 'swapExactTokensForTokens', args })
  expect((await sendAndMine(sandbox, treasury, { to: v2Router, data })).status).toBe('success')
  expect(await isFair('WETH/USDC v2 0.3%', 10n)).toBe(false)
  const other = anotherKeeper({})
  await other.keeper.tick()
  expect(acted(other.events).map((event) => event.subject)).toEqual(['WETH/USDC v2 0.3%'])
  await until(() => isFair('WETH/USDC v2 0.3%', 10n), 'the pool to be fair')
})
