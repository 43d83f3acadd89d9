import type { Page } from 'playwright-core'

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
