import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseReference } from '../../src/domain/core/reference.ts'
import type { Chain, Chains, Hex } from '../../src/domain/ports/chains.ts'
import type { Ports } from '../../src/domain/ports/index.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let [ada, bob]: { userId: number; address: Hex }[] = []

beforeAll(async () => {
  world = await openTradingWorld()
  ;[ada, bob] = [await world.person(), await world.person()]
})
afterAll(async () => await world.close())

/** The chains with one function of each replaced. */
const chainsWith = (ports: Ports, change: (chain: Chain) => Partial<Chain>): Chains => {
  const all = ports.chains.all.map((chain) => ({ ...chain, ...change(chain) }))
  return { all, default: all[0]!, find: (id) => all.find(({ info }) => info.id === id) ?? null }
}

const leg = (to: Hex) => ({ kind: 'faucet', call: { to, data: '0x', value: 0n }, gas: 21_000n }) as const

test('A wallet whose node hangs delays no other wallet, no starting money and no faucet claim', async () => {
  const { chain, ports } = world
  const gate = Promise.withResolvers<void>()
  let hanging = 0
  const hang = (real: Chain): Partial<Chain> => ({
    nonce: async (account, at) => {
      if (account.toLowerCase() !== ada!.address.toLowerCase()) return await real.nonce(account, at)
      hanging += 1
      await gate.promise
      return await real.nonce(account, at)
    },
  })
  const reserve = async ({ address: from }: { address: Hex }, reference: string) => {
    const floor = await chain.nonce(from, 'pending')
    await ports.outbox.reserve({
      chainId: chain.info.id,
      from,
      reference: parseReference(reference),
      legs: [leg(from)],
      floor,
    })
  }
  await world.breakAt((broken) => ({ chains: chainsWith(broken, hang) }))
  await reserve(ada!, 'faucet:stuck')
  await world.resume()
  await until(() => hanging > 0, 'the wallet to hang')
  await reserve(bob!, 'faucet:free')
  const carl = await world.person() // comes back once the wallet has its starting money
  const claim = { id: crypto.randomUUID(), chainId: chain.info.id, address: carl.address, amount: 1n, cooldownMs: 0 }
  const limits = { amount: 1n, cooldownMs: 0, tiers: {}, perCaller: null, dailyCap: 10n ** 30n }
  await ports.faucetClaims.begin({ ...claim, createdAt: new Date() }, 'caller', limits)
  const stateOf = async (reference: string) => (await ports.outbox.byReference(parseReference(reference)))[0]?.state
  await until(async () => (await stateOf('faucet:free')) === 'included', 'the other wallet')
  await until(async () => (await stateOf(`faucet:${claim.id}`)) === 'included', 'the claim')
  expect(await stateOf('faucet:stuck')).toBe('reserved')
  gate.resolve()
  await until(async () => (await stateOf('faucet:stuck')) === 'included', 'the wallet that hung')
})
