import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { feedAbi } from '../deploy/abis.ts'
import { addresses } from '../deploy/addresses.ts'
import { heartbeatSeconds, keptFeeds, pools } from '../deploy/market.ts'
import { asError, type Emit } from '../kit/events.ts'
import { type Signed, signed } from '../pool/pending-pool.ts'
import { correction, poolName, readPool } from './pool-correction.ts'

/** Keeps the market honest: no feed grows stale, no pool stays off its feeds. */
export type Keeper = {
  /** Looks at everything once and does what is due. Its failures are events. */
  tick: () => Promise<void>
  /** Waits for what is under way and does nothing more. */
  close: () => Promise<void>
}

export type KeeperOptions = {
  account: PrivateKeyAccount
  chainId: number
  read: (method: string, params: unknown[]) => Promise<unknown>
  submit: (transaction: Signed) => Promise<void>
  /** Seconds since the epoch, as the next block will have them. */
  now: () => number
  emit: Emit
  /** Feeds older than this are refreshed. */
  refreshSeconds?: number
  /** Pools further off their feeds than this are traded back. */
  toleranceBps?: bigint
}

/** An action is not repeated earlier, since what it does takes a block to be seen. */
const pauseSeconds = 30

/** Makes a keeper; whoever owns the clock calls its `tick`. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { account, chainId, read, submit, now, emit } = options
  const refreshSeconds = options.refreshSeconds ?? heartbeatSeconds / 3
  const toleranceBps = options.toleranceBps ?? 100n
  const lastAction = new Map<string, number>()
  let ticking: Promise<void> | undefined
  let closed = false

  const call = async (to: Address, data: Hex) => (await read('eth_call', [{ to, data }, 'latest'])) as Hex

  async function send(to: Address, data: Hex): Promise<Hex> {
    const nonce = Number(await read('eth_getTransactionCount', [account.address, 'pending']))
    const gasPrice = BigInt(String(await read('eth_gasPrice', []))) * 2n
    const raw = await account.signTransaction({ type: 'legacy', chainId, nonce, gasPrice, to, data, gas: 600_000n })
    const transaction = signed(raw, account.address, nonce)
    await submit(transaction)
    return transaction.hash
  }

  /** Runs one duty, unless it was done just now; a failure waits as long as a success before the next attempt. */
  async function duty(
    subject: string,
    work: () => Promise<Hex | null>,
    action: 'feed-refreshed' | 'pool-corrected',
  ): Promise<void> {
    if (closed || now() - (lastAction.get(subject) ?? 0) < pauseSeconds) return
    try {
      const hash = await work()
      if (!hash) return
      emit({ type: 'keeper-acted', action, subject, hash })
    } catch (thrown) {
      if (!closed) emit({ type: 'keeper-failed', subject, error: asError(thrown) })
    }
    lastAction.set(subject, now())
  }

  async function readFeed(address: Address): Promise<{ answer: bigint; updatedAt: number }> {
    const data = await call(address, encodeFunctionData({ abi: feedAbi, functionName: 'latestRoundData' }))
    const [, answer, , updatedAt] = decodeFunctionResult({ abi: feedAbi, functionName: 'latestRoundData', data })
    return { answer, updatedAt: Number(updatedAt) }
  }

  async function look(): Promise<void> {
    const prices = new Map<string, bigint>()
    for (const { pair, name } of keptFeeds) {
      const to = addresses[name]
      const feed = await readFeed(to).catch((thrown: unknown) => {
        if (!closed) emit({ type: 'keeper-failed', subject: pair, error: asError(thrown) })
      })
      if (!feed) continue
      prices.set(name, feed.answer)
      const data = encodeFunctionData({ abi: feedAbi, functionName: 'update', args: [feed.answer] })
      if (now() - feed.updatedAt >= refreshSeconds) await duty(pair, () => send(to, data), 'feed-refreshed')
    }
    for (const pool of pools) {
      const [priceA, priceB] = [prices.get(pool.a.feed), prices.get(pool.b.feed)]
      if (!priceA || !priceB) continue
      await duty(
        poolName(pool),
        async () => {
          const trade = correction(pool, await readPool(pool, call), priceA, priceB, toleranceBps, account.address)
          return trade && send(trade.to, trade.data)
        },
        'pool-corrected',
      )
    }
  }

  return {
    tick: async () => {
      // A slow look is joined, not doubled: two at once would use the same nonce.
      ticking ??= look().finally(() => {
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
