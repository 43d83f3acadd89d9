import { expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { fundedAccount, sharedWorld } from '../world.ts'

test('a swap on the chain is a trade of the exchange', async () => {
  await using world = await sharedWorld()
  const { rest, grpc } = world.clients
  const account = await fundedAccount(rest)
  const asked = { symbol: 'ETHUSDC', streams: ['trade'] }
  const { subscription_id } = await output(rest.call('tools.subscribeExchange', asked, account.token))
  const leaving = new AbortController()
  const stream = grpc.stream('tools.streamExchange', { subscription_id }, account.token, leaving.signal)
  const trade = output(rest.call('trading.execute', account.trade('WETH', 'USDC', '0.03137', 'seen'), account.token))
  const found = await (async () => {
    for await (const event of stream) if (event.trade.quantity === '0.03137') return event
    return null
  })()
  leaving.abort()
  const { status } = await trade
  expect(status).toBe('success')
  expect(found).toMatchObject({ symbol: 'ETHUSDC', source: 'exchange (sandbox)', trade: { buyer_is_maker: true } })
  const feed = await output(rest.call('tools.oraclePrice', { chain: 'sandbox', pair: 'ETH/USD' }, account.token))
  expect(Math.abs(Number(found.trade.price) / Number(feed.price) - 1)).toBeLessThan(0.02)
})
