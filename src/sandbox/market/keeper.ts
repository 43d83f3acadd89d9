import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { feedAbi } from '../deploy/abis.ts'
import { addresses } from '../deploy/addresses.ts'
import { heartbeatSeconds, keptFeeds, pools } from '../deploy/market.ts'
import { asError, type Emit } from '../kit/events.ts'
import { type Signed, signed } from '../pool/pending-pool.ts'
import { correction, poolName, readPool } from './pool-correction.ts'

/** Maintains the market: refreshes stale feeds, and trades pools back to the prices of their feeds. */
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
  emit: Emit
  /** Feeds older than this are refreshed. */
  refreshSeconds?: number
  /** Pools whose price differs from their feeds' by more are traded back. */
  toleranceBps?: bigint
}

/** An action is not repeated sooner, since its effect is visible only after a block. */
const cooldownSeconds = 30

/** Creates a keeper. `tick` is to be called after each block. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { account, now, emit } = options
  const refreshSeconds = options.refreshSeconds ?? heartbeatSeconds / 3
  const toleranceBps = options.toleranceBps ?? 100n
  const lastAction = new Map<string, number>()
  let ticking: Promise<void> | undefined
  let closed = false

  /** Runs one duty unless it ran recently. A failure has the same cooldown as a success. */
  async function duty(
    subject: string,
    work: () => Promise<Hex | null>,
    action: 'feed-refreshed' | 'pool-corrected',
  ): Promise<void> {
    if (closed || now() - (lastAction.get(subject) ?? 0) < cooldownSeconds) return
    try {
      const hash = await work()
      if (!hash) return
      emit({ type: 'keeper-acted', action, subject, hash })
    } catch (thrown) {
      if (!closed) emit({ type: 'keeper-failed', subject, error: asError(thrown) })
    }
    lastAction.set(subject, now())
  }

  async function check(): Promise<void> {
    const prices = new Map<string, bigint>()
    for (const { pair, name } of keptFeeds) {
      const to = addresses[name]
      const feed = await readFeed(options, to).catch((thrown: unknown) => {
        if (!closed) emit({ type: 'keeper-failed', subject: pair, error: asError(thrown) })
      })
      if (!feed) continue
      prices.set(name, feed.answer)
      const data = encodeFunctionData({ abi: feedAbi, functionName: 'update', args: [feed.answer] })
      if (now() - feed.updatedAt >= refreshSeconds) await duty(pair, () => send(options, to, data), 'feed-refreshed')
    }
    for (const pool of pools) {
      const [priceA, priceB] = [prices.get(pool.a.feed), prices.get(pool.b.feed)]
      if (!priceA || !priceB) continue
      await duty(
        poolName(pool),
        async () => {
          const ratio = await readPool(pool, (to, data) => call(options, to, data))
          const trade = correction(pool, ratio, priceA, priceB, toleranceBps, account.address)
          return trade && send(options, trade.to, trade.data)
        },
        'pool-corrected',
      )
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

async function call({ read }: KeeperOptions, to: Address, data: Hex): Promise<Hex> {
  return (await read('eth_call', [{ to, data }, 'latest'])) as Hex
}

/** Signs and submits a transaction of the keeper. Returns its hash. */
async function send({ account, chainId, read, submit }: KeeperOptions, to: Address, data: Hex): Promise<Hex> {
  const nonce = Number(await read('eth_getTransactionCount', [account.address, 'pending']))
  const gasPrice = BigInt(String(await read('eth_gasPrice', []))) * 2n
  const raw = await account.signTransaction({ type: 'legacy', chainId, nonce, gasPrice, to, data, gas: 600_000n })
  const transaction = signed(raw, account.address, nonce)
  await submit(transaction)
  return transaction.hash
}

async function readFeed(options: KeeperOptions, address: Address): Promise<{ answer: bigint; updatedAt: number }> {
  const latest = { abi: feedAbi, functionName: 'latestRoundData' } as const
  const data = await call(options, address, encodeFunctionData(latest))
  const [, answer, , updatedAt] = decodeFunctionResult({ ...latest, data })
  return { answer, updatedAt: Number(updatedAt) }
}
