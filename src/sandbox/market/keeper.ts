import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { feedAbi, multicallAbi, v3RouterAbi } from '../deploy/abis.ts'
import { addresses, multicall3 } from '../deploy/addresses.ts'
import { feedDecimals, heartbeatSeconds, type KeptFeed, keptFeeds, type Pool, pools } from '../deploy/market.ts'
import { asError, type Emit } from '../kit/events.ts'
import { type Signed, signed } from '../pool/pending-pool.ts'
import { firstPrices, type MarketPrices } from './clock.ts'
import { correction, offBy, poolName, poolQuery, ratioOf } from './pool-correction.ts'

/** Brings the market's prices on the chain: writes the rounds of the feeds, and trades the pools. */
type Keeper = {
  /** Checks everything once and acts where it is due. Failures are events. */
  tick: () => Promise<void>
  /** Waits for the running tick. No other one starts. */
  close: () => Promise<void>
}

export type KeeperOptions = {
  account: PrivateKeyAccount
  chainId: number
  read: (method: string, params: unknown[]) => Promise<unknown>
  submit: (transaction: Signed) => Promise<void>
  /** The time of the next block in seconds since 1970. */
  now: () => number
  prices: MarketPrices
  /** Whether the prices may move, which the pools then follow more closely. */
  isMoving: () => boolean
  emit: Emit
  /** Feeds older than this are refreshed. */
  refreshSeconds?: number
}

/** In millionths: where a pool is off by the first, all that are off by the second are traded, in one transaction. */
const bands = { moving: { worst: 2_000n, along: 500n }, still: { worst: 10_000n, along: 10_000n } }
/** A feed gets a round where the price is off by so many millionths. */
const feedBand = 2_500n
/** The feed of the faulty tokens, whose pools stand still: the risk checks allow them 2 %. */
const looseFeedBand = 5_000n
/** What failed is not tried again sooner. */
const cooldownSeconds = 30
/** The gas of a round, and of a swap in a pool whose slots are cold. */
const [roundGas, swapGas] = [150_000n, 250_000n]

type Feed = (typeof keptFeeds)[number]
type MarketNow = { feeds: ReadonlyMap<Feed, { answer: bigint; updatedAt: number }>; pools: ReadonlyMap<Pool, Ratio> }
/** In the units of the feeds. */
type Answers = Readonly<Record<KeptFeed, bigint>>
type Ratio = ReturnType<typeof ratioOf>
type Action = {
  kind: 'feed-refreshed' | 'pool-corrected'
  subjects: string[]
  to: `0x${string}`
  data: Hex
  gas: bigint
}

/** Creates a keeper. `tick` is to be called after each block. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { now, emit } = options
  const failedAt = new Map<string, number>()
  let ticking: Promise<void> | undefined
  let closed = false

  /** Runs a part of the work, unless it failed a moment ago. Returns undefined where it did not succeed. */
  async function attempt<T>(subject: string, work: () => Promise<T>): Promise<T | undefined> {
    if (closed || now() - (failedAt.get(subject) ?? 0) < cooldownSeconds) return undefined
    try {
      return await work()
    } catch (thrown) {
      failedAt.set(subject, now())
      if (!closed) emit({ type: 'keeper-failed', subject, error: asError(thrown) })
      return undefined
    }
  }

  async function check(): Promise<void> {
    const actions = await attempt('market', async () => {
      const market = await readMarket(options)
      const fair = fairAnswers(options)
      return [...dueRounds(options, market, fair), ...dueTrades(options, market, fair)]
    })
    if (actions === undefined || actions.length === 0) return
    const nonce = await attempt('nonce', () => freeNonce(options))
    for (let next = nonce ?? null; next !== null; ) {
      const action = actions.shift()
      if (action === undefined) return
      const { kind, subjects } = action
      const at = next
      const hash = await attempt(kind === 'pool-corrected' ? 'pools' : subjects.join(), () => send(options, action, at))
      if (hash === undefined) continue
      next += 1
      for (const subject of subjects) emit({ type: 'keeper-acted', action: kind, subject, hash })
    }
  }

  return {
    tick: async () => {
      // A slow check is joined, not doubled: two at once would use the same nonce.
      ticking ??= check().finally(() => {
        ticking = undefined
      })
      return ticking
    },
    close: async () => {
      closed = true
      await ticking
    },
  }
}

/** The feeds and pools at the newest block, in one call. */
async function readMarket({ read }: KeeperOptions): Promise<MarketNow> {
  const latest = encodeFunctionData({ abi: feedAbi, functionName: 'latestRoundData' })
  const queries = [...keptFeeds.map(({ name }) => ({ to: addresses[name], data: latest })), ...pools.map(poolQuery)]
  const args = [queries.map(({ to, data }) => ({ target: to, callData: data }))] as const
  const call = { to: multicall3, data: encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate', args }) }
  const data = (await read('eth_call', [call, 'latest'])) as Hex
  const [, results] = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate', data })
  const feeds = keptFeeds.map((feed, index) => [feed, roundOf(results[index] ?? '0x')] as const)
  const ratios = pools.map((pool, index) => [pool, ratioOf(pool, results[keptFeeds.length + index] ?? '0x')] as const)
  return { feeds: new Map(feeds), pools: new Map(ratios) }
}

function roundOf(data: Hex): { answer: bigint; updatedAt: number } {
  const [, answer, , updatedAt] = decodeFunctionResult({ abi: feedAbi, functionName: 'latestRoundData', data })
  return { answer, updatedAt: Number(updatedAt) }
}

/** What each feed should say at the next block. */
function fairAnswers({ prices, now }: KeeperOptions): Answers {
  const at = now()
  const eth = prices.usd('ETH', at)
  const units = (usd: number) => BigInt(Math.round(usd * 10 ** feedDecimals))
  return {
    ethUsdFeed: units(eth),
    btcUsdFeed: units(prices.usd('BTC', at)),
    usdcUsdFeed: units(1),
    // The faulty tokens' pools with WETH stand still, so that their tokens move with it.
    testUsdFeed: units(eth / firstPrices.ETH),
  }
}

/** The rounds of feeds that are too far off or too old. */
function dueRounds(options: KeeperOptions, { feeds }: MarketNow, answers: Answers): Action[] {
  const { now, refreshSeconds = heartbeatSeconds / 3 } = options
  return [...feeds].flatMap(([{ name, pair }, { answer, updatedAt }]) => {
    const fair = answers[name]
    const off = ((fair > answer ? fair - answer : answer - fair) * 1_000_000n) / answer
    const isOff = off >= (name === 'testUsdFeed' ? looseFeedBand : feedBand)
    if (!isOff && now() - updatedAt < refreshSeconds) return []
    const data = encodeFunctionData({ abi: feedAbi, functionName: 'update', args: [fair] })
    return [{ kind: 'feed-refreshed' as const, subjects: [pair], to: addresses[name], data, gas: roundGas }]
  })
}

/** One transaction that trades every pool that is off, or none. */
function dueTrades(options: KeeperOptions, market: MarketNow, answers: Answers): Action[] {
  const { isMoving, account } = options
  const { worst, along } = isMoving() ? bands.moving : bands.still
  const judged = [...market.pools].map(([pool, ratio]) => {
    const [a, b] = [answers[pool.a.feed], answers[pool.b.feed]]
    return { pool, off: offBy(pool, ratio, a, b), trade: () => correction(pool, ratio, a, b, account.address) }
  })
  if (!judged.some(({ off }) => off > worst)) return []
  const due = judged.filter(({ off }) => off > along)
  const args = [due.map(({ trade }) => trade())] as const
  const data = encodeFunctionData({ abi: v3RouterAbi, functionName: 'multicall', args })
  const subjects = due.map(({ pool }) => poolName(pool))
  return [{ kind: 'pool-corrected', subjects, to: addresses.v3Router, data, gas: swapGas * BigInt(due.length) }]
}

/** The next nonce of the account; null while a transaction of it waits, whose effect is not visible yet. */
async function freeNonce({ account, read }: KeeperOptions): Promise<number | null> {
  const [pending, latest] = await Promise.all(
    ['pending', 'latest'].map(async (tag) => Number(await read('eth_getTransactionCount', [account.address, tag]))),
  )
  return pending === latest ? (latest ?? null) : null
}

/** Signs and submits a transaction of the keeper. Returns its hash. */
async function send(
  { account, chainId, read, submit }: KeeperOptions,
  { to, data, gas }: Action,
  nonce: number,
): Promise<Hex> {
  const gasPrice = BigInt(String(await read('eth_gasPrice', []))) * 2n
  const raw = await account.signTransaction({ type: 'legacy', chainId, nonce, gasPrice, to, data, gas })
  const transaction = signed(raw, account.address, nonce)
  await submit(transaction)
  return transaction.hash
}
