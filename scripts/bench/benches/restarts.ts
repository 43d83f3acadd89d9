import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../src/sandbox/fixtures/testing.ts'
import type { Client } from '../../../test/clients/client.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { dataFolder } from '../../../test/data-folder.ts'
import { openTradeStore, type TradeStore } from '../../../test/drivers/trade-store.ts'
import { startGateway } from '../../../test/gateway-process.ts'
import type { Account } from '../../../test/world.ts'
import type { Bench } from '../bench.ts'
import { pollMs, waitMs } from '../load/shared-work.ts'
import { openAccounts, trade } from '../trading/trader.ts'

const settings = { LOG_LEVEL: 'silent' }

/**
 * The time to finish interrupted trades: the gateway is killed during the trades of 64 wallets and restarted, until the
 * last trade is in a block. The floor is the start itself, until ready.
 */
export const bench: Bench = async ([restarts = 3, wallets = 64]) => {
  using folder = dataFolder()
  let gateway = await startGateway(folder.path, settings)
  const store = openTradeStore(join(folder.path, 'trident.sqlite'))
  const times: { ready: number; sent: number; included: number; left: number }[] = []
  try {
    const accounts = await openAccounts(restClient(gateway.urls.http), wallets)
    while (times.length < restarts) {
      await beginTrades(restClient(gateway.urls.http), store, accounts)
      await gateway.kill()
      const left = store.unsent()
      const begun = performance.now()
      gateway = await startGateway(folder.path, settings)
      await until(() => store.unsent() === 0, 'all to be sent', waitMs, pollMs)
      const sent = performance.now() - begun
      await until(() => store.underWay().length === 0, 'all to be in a block', waitMs, pollMs)
      times.push({ ready: gateway.readyMs, sent, included: performance.now() - begun, left })
    }
  } finally {
    store.close()
    await gateway[Symbol.asyncDispose]()
  }
  const floor = { name: 'start to ready', rounds: times.map(({ ready }) => ready) }
  const left = times.map((time) => time.left).join(', ')
  return [
    { what: `start to all sent (unsent: ${left})`, unit: 'ms', rounds: times.map(({ sent }) => sent), floor },
    { what: 'start to all in a block', unit: 'ms', rounds: times.map(({ included }) => included), floor },
  ]
}

/** Requests a trade of each account, until one has its nonce and no node has its transaction. */
async function beginTrades(client: Client, store: TradeStore, accounts: readonly Account[]): Promise<void> {
  for (const account of accounts) void trade(client, account).catch(() => null) // the kill ends these requests
  for (const deadline = performance.now() + 20_000; store.unsent() === 0 && performance.now() < deadline; )
    await sleep(1)
}
