import { type Hex, numberToHex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import type { PendingPool } from '../pool/pending-pool.ts'
import { type PartedPool, partedPool, poolShower } from '../pool/show-pool.ts'
import type { Call } from './calls.ts'

type PoolOptions = {
  pool: () => Pick<PendingPool, 'all' | 'of'>
  /** The number of the block that the pool follows. */
  head: () => number
  withEngine: <T>(work: (engine: Engine) => Promise<T>) => Promise<T>
  /** Runs work while no block is half mined and no transaction is half admitted. */
  betweenBlocks: <T>(work: () => Promise<T>) => Promise<T>
}

/** Creates the function that serves the methods which show the pool; its result is undefined for all others. */
export function poolReader({ pool, head, withEngine, betweenBlocks }: PoolOptions): (call: Call) => Promise<unknown> {
  /** Nonces of accounts in one block: the pool is shown more often than blocks are made. */
  let nonces = { head: -1, byAccount: new Map<Hex, number>() }

  async function nextNonce(engine: Engine, account: Hex): Promise<number> {
    const { byAccount } = nonces
    const params = [account, numberToHex(nonces.head)]
    const nonce = byAccount.get(account) ?? Number(await engine.call('eth_getTransactionCount', params))
    byAccount.set(account, nonce)
    return nonce
  }

  function parted(engine: Engine, account: Hex | undefined): Promise<PartedPool> {
    return betweenBlocks(async () => {
      if (nonces.head !== head()) nonces = { head: head(), byAccount: new Map() }
      const waiting = account === undefined ? pool().all() : [...pool().of(account).values()]
      return await partedPool(waiting, (each) => nextNonce(engine, each))
    })
  }

  return async ({ method, params: [of] }) => {
    const show = poolShower(method)
    if (show === undefined) return undefined
    const account = typeof of === 'string' ? (of.toLowerCase() as Hex) : undefined
    return await show(await withEngine((engine) => parted(engine, account)))
  }
}
