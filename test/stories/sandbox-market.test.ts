import { decodeFunctionResult, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { feedAbi } from '../../src/sandbox/deploy/abis.ts'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { pools } from '../../src/sandbox/deploy/market.ts'
import { offBy, poolName, poolQuery, ratioOf } from '../../src/sandbox/market/pool-correction.ts'
import { anvilChainId, startAnvil } from '../node/anvil.ts'
import { operatorToken } from '../operator-token.ts'
import { openWorld, protocols, type World } from '../world.ts'

const latest = { abi: feedAbi, functionName: 'latestRoundData' } as const

async function answerAt({ askChain }: World, block: bigint): Promise<bigint> {
  const call = { to: addresses.ethUsdFeed, data: encodeFunctionData(latest) }
  const data = (await askChain('eth_call', [call, numberToHex(block)])) as Hex
  return decodeFunctionResult({ ...latest, data })[1]
}

/** By how many millionths the deepest pool is off a price of ETH. */
async function offAt({ askChain }: World, block: bigint, eth: bigint): Promise<bigint> {
  const pool = pools.find((one) => poolName(one) === 'WETH/USDC v2 0.3%')!
  const data = (await askChain('eth_call', [poolQuery(pool), numberToHex(block)])) as Hex
  return offBy(pool, ratioOf(pool, data), eth, 1_00000000n)
}

const headOf = async ({ askChain }: World) => BigInt((await askChain('eth_blockNumber', [])) as Hex)

test('a price that the operator sets is on the feed within two blocks, and in the pools within four', async () => {
  await using world = await openWorld({ SANDBOX_MARKET: 'moving', SANDBOX_SPEED: '1' })
  for (const [index, protocol] of protocols.entries()) {
    const client = world.clients[protocol]
    const usd = 2_400 + 100 * index
    const set = await client.call('operator.setSandboxPrice', { symbol: 'WETH', price_usd: usd }, operatorToken)
    expect(set).toMatchObject({ ok: true, output: { mode: 'moving', speed: 1 } })
    const { prices } = (set as { output: { prices: { symbol: string; price_usd: number }[] } }).output
    expect(prices.find(({ symbol }) => symbol === 'ETH')?.price_usd).toBe(usd)
    const from = await headOf(world)
    await expect.poll(() => headOf(world), { timeout: 60_000 }).toBeGreaterThanOrEqual(from + 4n)
    const units = BigInt(usd) * 100_000_000n
    const answer = await answerAt(world, from + 2n)
    expect(Math.abs(Number(answer) / Number(units) - 1)).toBeLessThan(0.002)
    expect(await offAt(world, from + 4n, units)).toBeLessThan(5_000n)

    const held = await client.call('operator.setSandboxMarket', { mode: 'still', speed: 2 }, operatorToken)
    expect(held).toMatchObject({ ok: true, output: { mode: 'still', speed: 2 } })
    const back = await client.call('operator.setSandboxMarket', { mode: 'moving', speed: 1 }, operatorToken)
    expect(back).toMatchObject({ ok: true, output: { mode: 'moving', speed: 1 } })

    const refusals = [
      ['operator.setSandboxPrice', { symbol: 'ETH', price_usd: 299 }, 'price_usd'],
      ['operator.setSandboxMarket', { speed: 61 }, 'speed'],
      ['operator.setSandboxMarket', {}, 'mode'],
    ] as const
    for (const [id, input, path] of refusals)
      expect(await client.call(id, input, operatorToken)).toMatchObject({
        code: 'INVALID_ARGUMENT',
        violations: [{ path }],
      })
  }
})

test('on a public chain both are refused, with the reason and what to do', async () => {
  await using anvil = await startAnvil()
  await using world = await openWorld({ CHAIN_ID: String(anvilChainId), CHAIN_RPC_URL: anvil.url })
  const calls = [
    ['operator.setSandboxPrice', { symbol: 'ETH', price_usd: 2_400 }],
    ['operator.setSandboxMarket', { mode: 'still' }],
  ] as const
  for (const protocol of protocols)
    for (const [id, input] of calls)
      expect(await world.clients[protocol].call(id, input, operatorToken)).toMatchObject({
        ok: false,
        code: 'FAILED_PRECONDITION',
        message: expect.stringMatching(/public chain, whose prices cannot be set\. Leave CHAIN_RPC_URL out/),
      })
})
