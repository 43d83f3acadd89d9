import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { output } from '../clients/client.ts'
import { untilDecided } from '../drivers/until-decided.ts'
import { expectWholeAndOnce } from '../drivers/whole-and-once.ts'
import { figures } from '../faults/figures.ts'
import { seeded } from '../seeded.ts'
import { isLong, seed } from '../sized.ts'
import { type GethWorld, startGethWorld } from './geth.ts'
import { noGeth, noGethReason } from './geth-binary.ts'
import { openNodeProxy } from './node-proxy.ts'
import { amount, openTrader, type Traded, type Trader } from './trader.ts'

if (noGeth) console.log(noGethReason)

const kills = 20
const reorganisations = 6
const depth = 5
/** How many trades are under way at the same time. */
const together = 3
/** go-ethereum's development chain finalizes each block of this number at once. */
const epoch = 32

type World = { geth: GethWorld; trader: Trader }

/** A gateway before a proxy, as it stays where the node is, and an account whose deposit is in the books. */
async function openDrill(opened: AsyncDisposableStack): Promise<World> {
  const geth = opened.use(await startGethWorld())
  const trader = opened.use(await openTrader(geth, [opened.use(await openNodeProxy(geth.url))]))
  await trader.positions()
  // No kill takes the deposit.
  const paidAt = await headOf(geth)
  await until(async () => (await headOf(geth)) > paidAt + depth, 'blocks after the deposit', 60_000)
  return { geth, trader }
}

const headOf = async (geth: GethWorld) => Number(await geth.call('eth_blockNumber'))

/** Trades until it is stopped; what is not answered is asked again under the same key. */
function tradeOn(trader: Trader) {
  let running = true
  const keys: string[] = []
  const told: { key: string; at: number; trade: Traded }[] = []
  const odd: string[] = []
  let unchecked = 0
  const work = async () => {
    while (running) {
      const key = `drill-${keys.length}`
      keys.push(key)
      const trade = await untilDecided(async () => {
        const answer = await trader.trade(key).then(
          (asked) => asked.answer,
          () => null,
        )
        const trade = answer?.ok === true ? (answer.output as Traded) : null
        // Nothing is traded while the node that would show the risk is gone, and the same key may ask again.
        if (trade?.status === 'rejected' && trade.message.includes('check_failed')) unchecked += 1
        else if (trade !== null) return trade
        if (answer?.ok === true) return null
        if (answer !== null && answer.code !== 'UNAVAILABLE') odd.push(`${answer.code} ${answer.message}`)
        return null
      })
      if (trade === null) continue
      if (trade.status !== 'success') odd.push(`${key}: ${trade.status} ${trade.message}`)
      told.push({ key, at: performance.now(), trade })
    }
  }
  const working = Promise.all(Array.from({ length: together }, work))
  return {
    keys,
    told,
    odd,
    /** How many trades were rejected because the node failed while the risk was checked. */
    unchecked: () => unchecked,
    /** Ends it once every trade is decided. */
    async stop() {
      running = false
      await working
    },
  }
}

/** Waits for a head after which the newest blocks are not final, so that they may be taken back. */
async function whenTheNewestMayGo(geth: GethWorld): Promise<void> {
  const isFar = async () => (await headOf(geth)) % epoch >= depth + 1 && (await headOf(geth)) % epoch < epoch - 2
  await until(isFar, 'a head whose last blocks are not final', 60_000)
}

/** Everything that is left of the trades once all are final: throws where one is lost, repeated, or booked wrongly. */
async function expectAllOnce({ geth, trader }: World, keys: readonly string[], told: readonly { trade: Traded }[]) {
  const { store, account: ada } = trader
  await until(() => store.unsettled(ada.wallet) === 0, 'every trade to be final', 240_000, 200)
  const hashes = new Map<string, string>()
  for (const key of keys) {
    const again = (await output(trader.trade(key).then(({ answer }) => answer))) as Traded
    expect([key, again.status, again.message]).toEqual([key, 'success', expect.stringContaining('Swapped')])
    hashes.set(key, again.tx_hash)
  }
  await trader.positions()
  const swaps = store.legs(ada.wallet).filter(({ kind, outcome }) => kind === 'swap' && outcome === 'success')
  const references = Map.groupBy(swaps, ({ reference }) => reference)
  const receipts = await Promise.all([...hashes.values()].map((hash) => geth.call('eth_getTransactionReceipt', hash)))
  const nonces = store.legs(ada.wallet).flatMap(({ nonce }) => nonce ?? [])
  const latest = await trader.sent()
  const found = {
    trades: keys.length,
    told: told.length,
    lost: receipts.filter((receipt) => receipt?.status !== '0x1').length,
    repeated: [...references.values()].filter(({ length }) => length > 1).length,
    gaps: Array.from({ length: latest }, (_, nonce) => nonce).filter((nonce) => !nonces.includes(nonce)).length,
    signed_again: trader.signings().filter((signed) => signed > 1).length,
  }
  return {
    found,
    check: () => expectWholeAndOnce({ store, keys, hashes, ada, rpc: geth.url, amount }),
  }
}

describe.skipIf(noGeth || !isLong)('drills with a gateway that trades on go-ethereum', () => {
  test(`${kills} kills of the node and the gateway amid trades lose none and repeat none`, async () => {
    await using opened = new AsyncDisposableStack()
    const world = await openDrill(opened)
    const { geth, trader } = world
    const random = seeded(seed)
    const load = tradeOn(trader)
    const recoveryMs = { node: [] as number[], gateway: [] as number[] }
    const forgotten: number[] = []
    for (let kill = 0; kill < kills; kill += 1) {
      const what = kill % 2 === 0 ? 'node' : 'gateway'
      await sleep(500 + random() * 2_500)
      if (what === 'node') await whenTheNewestMayGo(geth)
      const head = await headOf(geth)
      const killed = performance.now()
      if (what === 'gateway') await trader.restart('kill')
      else {
        await geth.restart()
        forgotten.push(head - (await headOf(geth)))
      }
      const back = performance.now()
      await until(() => load.told.some(({ at }) => at > back), 'a trade that is told after the kill', 120_000)
      recoveryMs[what].push(Math.round(performance.now() - killed))
    }
    await load.stop()
    const { found, check } = await expectAllOnce(world, load.keys, load.told)
    figures('kill -9 of go-ethereum and the gateway amid trades', {
      kills,
      ...found,
      unchecked: load.unchecked(),
      blocks_forgotten: forgotten,
      node_recovery_ms: recoveryMs.node,
      gateway_recovery_ms: recoveryMs.gateway,
      longest_ms: Math.max(...recoveryMs.node, ...recoveryMs.gateway),
    })
    expect(load.odd).toEqual([])
    expect(found).toMatchObject({ lost: 0, repeated: 0, gaps: 0 })
    await check()
  })

  test(`${reorganisations} reorganisations of ${depth} blocks amid trades leave each trade final once, and books that equal the chain`, async () => {
    await using opened = new AsyncDisposableStack()
    const world = await openDrill(opened)
    const { geth, trader } = world
    const random = seeded(seed)
    const load = tradeOn(trader)
    const recoveryMs: number[] = []
    for (let count = 0; count < reorganisations; count += 1) {
      await sleep(depth * 1_000 + random() * 2_000)
      await whenTheNewestMayGo(geth)
      const head = await headOf(geth)
      const begun = performance.now()
      await geth.call('debug_setHead', `0x${(head - depth).toString(16)}`)
      await until(() => load.told.some(({ at }) => at > begun + 500), 'a trade that is told afterwards', 120_000)
      recoveryMs.push(Math.round(performance.now() - begun))
    }
    await load.stop()
    const { found, check } = await expectAllOnce(world, load.keys, load.told)
    figures(`reorganisations of ${depth} blocks on go-ethereum`, { reorganisations, ...found, recovery_ms: recoveryMs })
    expect(load.odd).toEqual([])
    expect(found).toMatchObject({ lost: 0, repeated: 0, gaps: 0 })
    await check()
    expect(trader.gateway().complaints()).toBe('')
  })
})
