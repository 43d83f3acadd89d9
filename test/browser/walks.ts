import type { Page } from 'playwright-core'
import type { Client } from '../clients/client.ts'
import { output } from '../clients/client.ts'

/** Fills the form of a trade. */
export async function fillOrder(page: Page, sell: string, buy: string, amount: string): Promise<void> {
  await page.getByRole('link', { name: 'Trade', exact: true }).click()
  await page.getByLabel('Sell').fill(sell)
  await page.getByLabel('Buy').fill(buy)
  await page.getByLabel('Amount').fill(amount)
}

/** Simulates the order of the form and confirms it, and waits until it is done. */
export async function trade(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Simulate', exact: true }).click()
  await page.getByRole('button', { name: 'Confirm trade' }).click()
  await page
    .getByRole('region', { name: 'Life of the trade' })
    .getByText(/^success/)
    .waitFor()
}

/** The token of the session of a page. */
export async function tokenOf(page: Page): Promise<string> {
  return (await page.evaluate('JSON.parse(sessionStorage.getItem("trident-session")).token')) as string
}

/** Trades as many times as the count, ten at a time, as another program with the token of an account. */
export async function tradeMany(client: Client, token: string, count: number): Promise<void> {
  const [chain] = await output(client.call('trading.listChains', {}, token))
  const addressOf = (symbol: string) => chain.tokens.find((each: { symbol: string }) => each.symbol === symbol).address
  const one = async (index: number) => {
    const input = {
      chain_id: chain.chain_id,
      token_in_address: addressOf('USDC'),
      token_out_address: addressOf('WETH'),
      amount_in: `${1 + index}`,
      slippage_bps: 500,
      simulate_only: false,
    }
    const key = crypto.randomUUID()
    const order = { input, confirm: true, wallet_ref: 'default', idempotency_key: key, skip_risk: true }
    await output(client.call('trading.execute', order, token))
  }
  for (let from = 0; from < count; from += 10)
    await Promise.all(Array.from({ length: Math.min(10, count - from) }, (_, index) => one(from + index)))
}
