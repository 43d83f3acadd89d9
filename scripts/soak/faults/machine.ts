import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { killEngineAndWait } from '../../../test/drivers/engine-recovery.ts'
import type { EmbeddedChain } from '../../../test/engine.ts'
import type { Fault } from './fault.ts'
import { leftAloneMs } from './providers.ts'
import type { Effects } from './windows.ts'

const recoveryMs = 30_000
const lockMs = 1_000

/**
 * The operations that read a chain, by the engine without which they fail. Data that the gateway stores itself
 * (accounts, wallets, executions, volume, realised profit) is always available; the parent chain is read for the bridge
 * and the rollup methods only.
 */
const effectsOf: Record<EmbeddedChain, Effects> = {
  chain: {
    fault: 'engine killed',
    may: [
      {
        operations: oneOf(
          /^chain\./,
          /^eth_|^a batch$|^\/explorer$/,
          /^trading\.(quote|assessRisk|execute|previewRun)$/,
          /^metrics\.(positions|unrealizedPnl|tvl)$/,
          /^tools\.(oraclePrice|walletBalance)$/,
        ),
        codes: ['UNAVAILABLE', '-32002', '503'],
        aftermathMs: 0,
      },
      // A risk that cannot be checked is unknown, and an unknown risk refuses a trade.
      { operations: /^trading\.execute$/, codes: ['rejected'], aftermathMs: 0 },
      // The sandbox's providers wait for their chain longer than the gateway waits for them, and a provider that failed
      // is avoided for a while.
      {
        operations: oneOf(/^tools\.(invoke\w+|latestBitcoinBlock|streamExchange)$/, /^research\.preview$/),
        codes: ['UNAVAILABLE', 'DEADLINE_EXCEEDED'],
        aftermathMs: leftAloneMs,
      },
      // The readiness check caches its result for a second.
      { operations: /^\/health\/ready$/, codes: ['503'], aftermathMs: 1_000 },
    ],
  },
  'chain/parent': {
    fault: 'engine of the parent killed',
    may: [
      {
        operations: oneOf(/^chain\.(bridgeStatus|watchBridge|rollup\w+)$/, /^rollup_/),
        codes: ['UNAVAILABLE', '-32002'],
        aftermathMs: 0,
      },
    ],
  },
}

/** The engine of a chain is killed, and the gateway starts another one. */
export function engineDies(chain: EmbeddedChain): Fault {
  return async ({ world: { dataDir, gateway }, windows }) => {
    const url = chain === 'chain' ? gateway.urls.rpc : gateway.urls.l1
    await windows.during(effectsOf[chain], () => killEngineAndWait(dataDir, chain, url, recoveryMs))
  }
}

/** Another process holds the database's lock for a second: writers wait, and no caller sees an error. */
export const databaseLocked: Fault = async ({ world: { dataDir }, windows }) => {
  await windows.during({ fault: 'database locked', may: [] }, async () => {
    const database = new DatabaseSync(join(dataDir, 'trident.sqlite'), { timeout: 5_000 })
    try {
      database.exec('begin immediate')
      await sleep(lockMs)
      database.exec('rollback')
    } finally {
      database.close()
    }
  })
}

function oneOf(...some: readonly RegExp[]): RegExp {
  return new RegExp(some.map(({ source }) => source).join('|'))
}
