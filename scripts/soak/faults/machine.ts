import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../src/sandbox/fixtures/testing.ts'
import { type EmbeddedChain, enginePid, killEngine } from '../../../test/engine.ts'
import { rpc } from '../../../test/faults/gateway.ts'
import type { Fault } from './fault.ts'

const recoveryMs = 30_000
const lockMs = 1_000

/** The engine of a chain is killed, and the gateway starts another one. */
export function engineDies(chain: EmbeddedChain): Fault {
  return (injection) => killAndAwait(chain, injection)
}

async function killAndAwait(chain: EmbeddedChain, { world: { dataDir, gateway }, windows }: Parameters<Fault>[0]) {
  const effects = {
    fault: chain === 'chain' ? 'engine killed' : 'engine of the parent killed',
    may: [
      // Whatever may look at a chain; accounts, sessions and the history of a chat never do.
      {
        operations:
          /^(chain|trading|metrics|tools|research)\.|^(eth|net|rollup)_|^a batch$|^\/(health\/ready|explorer)/,
        codes: ['UNAVAILABLE', '-32002', '503'],
      },
      // The sandbox's providers wait for the chain that they tell of longer than they are waited for.
      { operations: /^(tools|research)\./, codes: ['DEADLINE_EXCEEDED'] },
    ],
    aftermathMs: 3_000,
  }
  await windows.during(effects, async () => {
    const pid = killEngine(dataDir, chain)
    const url = chain === 'chain' ? gateway.urls.rpc : gateway.urls.l1
    const head = async () => (await rpc(url, 'eth_blockNumber').catch(() => null))?.result
    await until(() => ![null, pid].includes(enginePid(dataDir, chain)), 'another engine', recoveryMs)
    await until(async () => (await head()) !== undefined, 'an answer of the engine', recoveryMs)
  })
}

/** Somebody else holds the database's lock for a second: who writes waits, and nobody sees an error. */
export const databaseLocked: Fault = async ({ world: { dataDir }, windows }) => {
  const effects = { fault: 'database locked', may: [], aftermathMs: 0 }
  await windows.during(effects, async () => {
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
