import { expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { rpc } from '../clients/rpc-call.ts'
import { dataFolder } from '../data-folder.ts'
import { operatorToken } from '../operator-token.ts'
import { openTestSandbox } from '../sandbox-service.ts'
import { type Account, fundedAccount, openWorld, type World } from '../world.ts'

/** Ends a gateway between sending a trade of 0.5 WETH and booking it; the trade is not in a block yet. */
async function sendAndEnd({ clients, urls, ...world }: World, account: Account): Promise<void> {
  await rpc(urls.rpc, 'admin_stopSequencer')
  const trade = account.trade('WETH', 'WBTC', '0.5', 'late')
  const answer = clients.rest.call('trading.execute', trade, account.token).catch(() => null) // ends with the gateway
  const stateOf = async () =>
    (await output(clients.rest.call('trading.listExecutions', {}, account.token))).items[0]?.state
  await expect.poll(stateOf, { timeout: 60_000 }).toBe('broadcast')
  await world[Symbol.asyncDispose]()
  await answer
}

test('a trade that is booked after the price changed is valued at the price of its block', async () => {
  await using opened = new AsyncDisposableStack()
  const { url: SANDBOX_URL } = opened.use(await openTestSandbox())
  const open = async (DATA_DIR: string) => await openWorld({ DATA_DIR, SANDBOX_URL })
  const folder = opened.use(dataFolder())
  const trader = await open(folder.path)
  const account = await fundedAccount(trader.clients.rest)
  await sendAndEnd(trader, account)

  const { urls, clients } = opened.use(await open(opened.use(dataFolder()).path))
  await rpc(urls.rpc, 'admin_startSequencer')
  const countOf = async () => Number((await rpc(urls.rpc, 'eth_getTransactionCount', account.wallet, 'latest')).result)
  // The approval and the swap.
  await expect.poll(countOf, { timeout: 60_000 }).toBe(2)
  const observer = await fundedAccount(clients.rest)
  const feed = { chain: 'sandbox', pair: 'ETH/USD' }
  const priceOf = async () => (await output(clients.rest.call('tools.oraclePrice', feed, observer.token))).price
  expect(Number(await priceOf())).toBe(3_000)
  await output(clients.rest.call('operator.setSandboxPrice', { symbol: 'ETH', price_usd: 3_900 }, operatorToken))
  await expect.poll(async () => Number(await priceOf()), { timeout: 60_000 }).toBe(3_900)

  const { rest } = opened.use(await open(folder.path)).clients
  const trade = account.trade('WETH', 'WBTC', '0.5', 'late')
  expect(await output(rest.call('trading.execute', trade, account.token))).toMatchObject({ status: 'success' })
  const { total_volume_usd_decimal: volume } = await output(rest.call('metrics.volume', {}, account.token))
  expect(volume).toBe('1500')
  const positions: { token_symbol: string; last_price_usd: number }[] = await output(
    rest.call('metrics.positions', {}, account.token),
  )
  expect(positions.find(({ token_symbol }) => token_symbol === 'WETH')?.last_price_usd).toBe(3_900)
})
