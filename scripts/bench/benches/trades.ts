import { join } from 'node:path'
import { restClient } from '../../../test/clients/rest.ts'
import { dataFolder } from '../../../test/data-folder.ts'
import { openTradeStore } from '../../../test/drivers/trade-store.ts'
import { startGateway } from '../../../test/gateway-process.ts'
import type { Bench } from '../bench.ts'
import { openRawSwap } from '../trading/raw-swap.ts'
import { tradePaces } from '../trading/trade-paces.ts'
import { tradeSteps } from '../trading/trade-steps.ts'
import { openAccounts } from '../trading/trader.ts'

/**
 * Real trades over REST: the duration of each step and the steps per second, compared with the same swap called or sent
 * signed directly at the engine. The sandbox mines a block every 2 s, and nothing is included sooner.
 */
export const bench: Bench = async ([trades = 40, wallets = 16]) => {
  using folder = dataFolder()
  await using gateway = await startGateway(folder.path, { LOG_LEVEL: 'silent' })
  const client = restClient(gateway.urls.http)
  const accounts = await openAccounts(client, wallets)
  using raw = await openRawSwap(folder.path, gateway, client)
  const store = openTradeStore(join(folder.path, 'trident.sqlite'))
  using _ = { [Symbol.dispose]: store.close }
  const [ada] = accounts
  if (ada === undefined) throw new Error('There is no wallet.')
  return [
    ...(await tradeSteps({ gateway, client, raw }, ada)),
    ...(await tradePaces({ client, raw, store, trades }, accounts)),
  ]
}
