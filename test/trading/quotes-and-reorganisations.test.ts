import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { publicNode } from '../../src/adapters/chain/fixtures/nodes.ts'
import { swapCall } from '../../src/adapters/chain/swaps/swap-calls.ts'
import { openChain } from '../../src/adapters/chain/viem-chain.ts'
import { type Hex, nativeToken, type Route } from '../../src/domain/ports/chains.ts'
import { type SerialQueue, serialQueue } from '../../src/kit/queues.ts'
import { chainId, treasury, until } from '../../src/sandbox/fixtures/testing.ts'
import { seeded } from '../seeded.ts'
import { startPublicChain } from './public-world.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const amountIn = 10n ** 17n
/** How long a node that is polled may not have reported that a block left the chain. */
const unnoticedMs = 2_000

type Quoted = { hash: Hex; amountOut: bigint | undefined; beganAt: number }

test('no quote is of a block that left the chain, nor of two blocks', { timeout: 120_000 }, async () => {
  console.log(`seed ${seed}: SEED=${seed} repeats it`)
  const random = seeded(seed)
  const { anvil, deployment, close } = await startPublicChain()
  await using node = await publicNode([anvil.url], chainId, { pollMs: 50 })
  // Other nodes answer a call from one state. This one mixes two where its blocks change meanwhile.
  const inTurn = serialQueue()
  const direct: typeof node.direct = async (...call) => await inTurn(() => node.direct(...call))
  const chain = openChain({ deployment, node: { ...node, direct }, sandbox: false })
  const tokenOf = (symbol: string) => deployment.tokens.find((known) => known.symbol === symbol)!.address
  const [weth, usdc] = [tokenOf('WETH'), tokenOf('USDC')]
  try {
    await anvil.call('evm_setIntervalMining', 0)
    await anvil.call('evm_mine')
    const { quotes } = await chain.quoteRoutes(weth, usdc, amountIn)
    const route = quotes.find(({ route: { venue, pools } }) => venue === 'uniswap_v2' && pools.length === 1)!.route
    const changing = changesOf({ anvil, deployment, route, random, inTurn })
    await changing.learn()
    await until(async () => changing.paid.has((await chain.head()).hash), 'the newest block')
    const results: Quoted[] = []
    let failures = 0
    let ended = false
    const quoting = Array.from({ length: 3 }, async () => {
      while (!ended) {
        await sleep(2) // what is known at once must not keep the test from its turn
        const beganAt = performance.now()
        try {
          const found = await chain.quoteRoutes(weth, usdc, amountIn)
          const direct = found.quotes.find(({ route: each }) => each.pools.join() === route.pools.join())
          results.push({ hash: found.block.hash, amountOut: direct?.amountOut, beganAt })
        } catch (failure) {
          // Twice in a row the block left while it was read.
          expect(failure).toMatchObject({ code: 'UNAVAILABLE' })
          failures += 1
        }
      }
    })
    for (let step = 0; step < 120; step += 1) {
      await changing.step()
      await sleep(random() * 100)
    }
    ended = true
    await Promise.all(quoting)
    const { paid, leftAt } = changing
    expect(new Set(results.map(({ hash }) => hash)).size).toBeGreaterThan(30)
    expect(failures).toBeLessThan(results.length / 10)
    expect(results.filter(({ hash, amountOut }) => paid.get(hash) !== amountOut)).toEqual([])
    expect(results.filter(({ hash, beganAt }) => (leftAt.get(hash) ?? beganAt) < beganAt - unnoticedMs)).toEqual([])
  } finally {
    await close()
  }
})

type World = Pick<Awaited<ReturnType<typeof startPublicChain>>, 'anvil' | 'deployment'> & {
  route: Route
  random: () => number
  inTurn: SerialQueue
}

/** Mines blocks that each move the price, and replaces up to five of them; knows what the pool pays at each. */
function changesOf({ anvil, deployment, route, random, inTurn }: World) {
  const paid = new Map<Hex, bigint>()
  const leftAt = new Map<Hex, number>()
  let steps = 0
  const [pool] = route.pools as [Hex]
  const buys = { ...route, tokens: [nativeToken, ...route.tokens.slice(1)] }

  async function blockAt(number: bigint | 'latest') {
    const at = number === 'latest' ? number : numberToHex(number)
    return (await anvil.call('eth_getBlockByNumber', at, false)) as { hash: Hex; number: Hex }
  }

  /** Stores what the pool pays at each block from `from` on, by its contract's formula; the newest alone if absent. */
  async function learn(from?: bigint): Promise<void> {
    const newest = BigInt((await blockAt('latest')).number)
    for (let number = from ?? newest; number <= newest; number += 1n) {
      const { hash } = await blockAt(number)
      const data = (await anvil.call('eth_call', { to: pool, data: '0x0902f1ac' }, numberToHex(number))) as Hex
      const [first = 0n, second = 0n] = [2, 66].map((start) => BigInt(`0x${data.slice(start, start + 64)}`))
      const [paidIn, paidOut] = sortsFirst(route) ? [first, second] : [second, first]
      const afterFee = amountIn * 997n
      paid.set(hash, (afterFee * paidOut) / (paidIn * 1_000n + afterFee))
      leftAt.delete(hash)
    }
  }

  async function mine(): Promise<void> {
    const plan = { route: buys, owner: treasury.address, minimumOut: 0n, deadline: 2n ** 40n }
    const amount = BigInt(1 + Math.floor(random() * 1_000)) * 10n ** 14n
    const { to, data, value } = swapCall(deployment, { ...plan, amountIn: amount })
    const sent = { from: treasury.address, to, data, value: numberToHex(value), gas: '0x7a120' }
    await anvil.call('anvil_impersonateAccount', treasury.address)
    const hash = await anvil.call('eth_sendTransaction', sent)
    await inTurn(() => anvil.call('evm_mine'))
    expect(await anvil.call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    await learn()
  }

  async function reorganise(depth: number): Promise<void> {
    const newest = BigInt((await blockAt('latest')).number)
    const gone: Hex[] = []
    for (let number = newest; number > newest - BigInt(depth); number -= 1n) gone.push((await blockAt(number)).hash)
    await inTurn(() => anvil.call('anvil_reorg', depth, []))
    for (const hash of gone) leftAt.set(hash, performance.now())
    await learn(newest - BigInt(depth) + 1n)
  }

  return {
    paid,
    leftAt,
    learn,
    step: async () => {
      steps += 1
      await (steps > 5 && random() < 0.3 ? reorganise(1 + Math.floor(random() * 5)) : mine())
    },
  }
}

/** Whether the token that is paid is token0 of the pool. */
function sortsFirst({ tokens: [paid = '0x', received = '0x'] }: Route): boolean {
  return paid.toLowerCase() < received.toLowerCase()
}
