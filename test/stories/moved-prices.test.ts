import { expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { output } from '../clients/client.ts'
import { operatorToken } from '../operator-token.ts'
import { fundedAccount, openWorld, type World } from '../world.ts'

const openMoving = () => openWorld({ SANDBOX_MARKET: 'moving', SANDBOX_SPEED: '1' })

/** Sets the price of ETH, and waits until the feed and the pools have it. */
async function setEth({ clients: { rest } }: World, usd: number, { swap, token }: Trader): Promise<void> {
  await output(rest.call('operator.setSandboxPrice', { symbol: 'ETH', price_usd: usd }, operatorToken))
  const sale = { input: swap('WETH', 'USDC', '0.001'), wallet_ref: 'default' }
  await until(async () => {
    const quote = await output(rest.call('trading.quote', sale, token))
    return Math.abs(Number(quote.expected_out) / (usd / 1_000) - 1) < 0.01
  }, `the price of ${usd} in the pools`)
}

type Trader = Awaited<ReturnType<typeof fundedAccount>>

test('a trade at a quote from before a crash is refused, and says how far the price moved', async () => {
  await using world = await openMoving()
  const { rest } = world.clients
  const ada = await fundedAccount(rest)
  await setEth(world, 3_000, ada)
  const sale = { input: ada.swap('WETH', 'USDC', '0.01'), wallet_ref: 'default' }
  const { quote_id, expected_out, minimum_out } = await output(rest.call('trading.quote', sale, ada.token))
  await setEth(world, 2_850, ada)

  const order = (key: string, more = {}) => ada.trade('WETH', 'USDC', '0.01', key, more)
  const refused = await output(rest.call('trading.execute', order('bound', { quote_id }), ada.token))
  expect(refused).toMatchObject({ status: 'failed', message: expect.stringMatching(/^Nothing was traded\./) })
  const [, yields, loss] = /yields ([\d.]+) USDC now, ([\d.]+) % less/.exec(refused.message) ?? []
  expect(refused.message).toContain(`It was quoted at ${expected_out} USDC`)
  expect(refused.message).toContain(`with a slippage of 0.50 % it must yield ${minimum_out} USDC. Request a new quote`)
  expect(Math.abs(Number(yields) / 28.5 - 1)).toBeLessThan(0.01)
  expect(Math.abs(Number(loss) - 5)).toBeLessThan(1)
  expect(refused).not.toHaveProperty('tx_hash')

  // The quote was not used, so that it holds again once the price is back.
  await setEth(world, 3_060, ada)
  const made = await output(rest.call('trading.execute', order('back', { quote_id }), ada.token))
  expect(made).toMatchObject({ status: 'success', quote: { quote_id, minimum_out } })
})

test('a daily cap counts each trade at the price of its moment, whatever the price does later', async () => {
  await using world = await openMoving()
  const { rest } = world.clients
  const ada = await fundedAccount(rest)
  const cap = { wallet_ref: 'default', max_daily_usd: '40' }
  await output(rest.call('trading.setWalletPolicy', cap, ada.userToken))
  // The trades that bring so large a change to the pools are a whale's, which the risk checks would refuse.
  const sell = (amount: string, key: string) =>
    output(rest.call('trading.execute', ada.trade('WETH', 'USDC', amount, key, { skip_risk: true }), ada.token))

  await setEth(world, 3_000, ada)
  expect(await sell('0.01', 'thirty')).toMatchObject({ status: 'success' })
  await setEth(world, 1_500, ada)
  // 15 USD more; the first trade still counts 30 USD, though its ETH are worth 15 USD now.
  expect(await sell('0.01', 'over')).toMatchObject({
    status: 'rejected',
    message: expect.stringMatching(
      /worth (14\.[89]|15(\.[01])?)\d* USD, .*would pass the wallet's daily cap of 40 USD/,
    ),
  })
  expect(await sell('0.005', 'within')).toMatchObject({ status: 'success' })
  await setEth(world, 6_000, ada)
  // 37.5 USD are used, not 90 USD.
  expect(await sell('0.001', 'dearer')).toMatchObject({
    status: 'rejected',
    message: expect.stringContaining("would pass the wallet's daily cap of 40 USD"),
  })
  expect(await sell('0.0003', 'rest')).toMatchObject({ status: 'success' })
})
