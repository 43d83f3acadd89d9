import { writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../world.ts'
import { noBrowser, openTab, sharedBrowser, trySandbox } from './browser.ts'
import { fillOrder, trade } from './walks.ts'

/** The pictures that the guides show. They are written anew with `PICTURES=write npm run test:browser -- pictures`. */
describe.skipIf(noBrowser)('the pictures of the guides', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    ;[world, browser] = await Promise.all([openWorld(), sharedBrowser()])
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  test.each(['light', 'dark'] as const)(
    'a trade, a portfolio and a chat can be shown in %s in at most 150 kB each',
    async (colorScheme) => {
      await using tab = await openTab(browser, world.urls.http, {
        viewport: { width: 1_000, height: 760 },
        colorScheme,
      })
      const { page } = tab
      await trySandbox(page)
      await fillOrder(page, 'USDC', 'WETH', '1500')
      await page.getByText('Live, as of').waitFor()
      await page.getByText('Risk: low').waitFor()
      await show(page, 'trade', colorScheme)
      await trade(page)
      await fillOrder(page, 'WETH', 'USDC', '0.2')
      await trade(page)
      await page.getByRole('link', { name: 'Portfolio' }).click()
      await page.locator('.chart canvas').last().waitFor()
      await page.getByText('0.2 WETH').first().waitFor()
      await show(page, 'portfolio', colorScheme)
      await page.getByRole('link', { name: 'Chat', exact: true }).click()
      await page.getByRole('button', { name: 'swap 1500 USDC for WETH' }).click()
      await page.getByRole('button', { name: 'Confirm' }).waitFor()
      await page.getByRole('button', { name: 'Send' }).waitFor()
      await show(page, 'chat', colorScheme)
      expect(tab.wrongs).toEqual([])
    },
  )
})

/** Takes the picture; of the light ones the files are kept, where they are asked for. */
async function show(page: Page, name: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const picture = await page.screenshot()
  expect(picture.length).toBeLessThanOrEqual(150_000)
  if (process.env.PICTURES === 'write' && colorScheme === (name === 'portfolio' ? 'dark' : 'light'))
    writeFileSync(new URL(`../../src/console/pictures/${name}.png`, import.meta.url), picture)
}
