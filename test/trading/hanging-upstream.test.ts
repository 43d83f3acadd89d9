import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicNode } from '../../src/adapters/chain/fixtures/nodes.ts'
import { openChain } from '../../src/adapters/chain/viem-chain.ts'
import type { Chain } from '../../src/domain/ports/chains.ts'
import { chainId } from '../../src/sandbox/fixtures/testing.ts'
import { openDoor } from '../node/anvil.ts'
import { type PublicChain, startPublicChain } from './public-world.ts'

/** A quote is a few calls of a node on this machine: the goal is 2 s on a busy one, the bound three times that. */
const mostMs = 6_000

let chain: PublicChain
beforeAll(async () => {
  chain = await startPublicChain()
})
afterAll(async () => await chain.close())

async function quote({ quoteRoutes, info }: Chain): Promise<number> {
  const began = performance.now()
  const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => info.tokens.find((token) => token.symbol === symbol)!.address)
  const { quotes } = await quoteRoutes(weth!, usdc!, 10n ** 18n)
  expect(quotes.length).toBeGreaterThan(0)
  return performance.now() - began
}

test('a first upstream that hangs from the start delays no quote and no read of the chain', async () => {
  await using hanging = await openDoor(chain.anvil.url)
  hanging.instead = () => {}
  await using node = await publicNode([hanging.url, chain.anvil.url], chainId)
  const traded = openChain({ deployment: chain.deployment, node, sandbox: false })
  for (let round = 0; round < 3; round += 1) expect(await quote(traded)).toBeLessThan(mostMs)
  const began = performance.now()
  expect((await traded.finality()).finalized).toBeGreaterThanOrEqual(0n)
  expect(await traded.receipt(`0x${'ab'.repeat(32)}`)).toBeNull()
  expect(await traded.knows(`0x${'ab'.repeat(32)}`)).toBe(false)
  expect(performance.now() - began).toBeLessThan(mostMs)
})

test('a first upstream that begins to hang delays one quote by its timeout, and no further one', async () => {
  const timeoutMs = 2_000
  await using first = await openDoor(chain.anvil.url)
  await using node = await publicNode([first.url, chain.anvil.url], chainId, { timeoutMs })
  const traded = openChain({ deployment: chain.deployment, node, sandbox: false })
  await quote(traded)
  first.instead = () => {}
  expect(await quote(traded)).toBeLessThan(timeoutMs + mostMs)
  const calls = first.methods.length
  for (let round = 0; round < 3; round += 1) expect(await quote(traded)).toBeLessThan(mostMs)
  // Only the pool's own check may have called it meanwhile.
  expect(first.methods.slice(calls).filter((method) => method === 'eth_call')).toEqual([])
  first.instead = null
  const used = () => first.methods.slice(calls).includes('eth_call')
  for (let round = 0; round < 30 && !used(); round += 1) {
    await quote(traded)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  expect(used()).toBe(true)
})
