import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { newAccount, sharedWorld, type World } from '../world.ts'
import { violationsOf } from './axe.ts'
import { expectNoSideways, noBrowser, openTab, sharedBrowser, type Tab } from './browser.ts'

const phone: BrowserContextOptions = { viewport: { width: 390, height: 800 }, colorScheme: 'dark' }
const wide: BrowserContextOptions = { viewport: { width: 1_300, height: 800 }, colorScheme: 'light' }

describe.skipIf(noBrowser)('the pages of the chain in a browser', () => {
  let world: World
  let browser: Browser
  let swap: string
  let wallet: string
  beforeAll(async () => {
    ;[world, browser] = await Promise.all([sharedWorld(), sharedBrowser()])
    const { rest } = world.clients
    const account = await newAccount(rest)
    const order = account.trade('WETH', 'USDC', '0.5', 'in a browser')
    const { explorer_url } = await output(rest.call('trading.execute', order, account.token))
    swap = new URL(explorer_url).pathname
    wallet = `/explorer/address/${account.wallet}`
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  async function openPage(path: string, view: BrowserContextOptions): Promise<Tab> {
    return await openTab(browser, world.urls.http + path, view)
  }

  /** Expects a page that a phone and a screen reader can read. */
  async function expectReadable({ page, wrongs }: Tab): Promise<void> {
    await expectNoSideways(page)
    expect(await violationsOf(page)).toEqual([])
    expect(wrongs).toEqual([])
  }

  /** What the browser shows before a cell of the first list. */
  const labelOf = (place: number) =>
    `getComputedStyle(document.querySelectorAll('.cards tr:nth-child(2) td')[${place}], '::before').content`

  for (const view of [wide, phone])
    test(`a swap in ${view.colorScheme} at ${view.viewport?.width} px begins with its sentence`, async () => {
      await using tab = await openPage(swap, view)
      const sentence = await tab.page.locator('main > p').first().textContent()
      expect(sentence).toMatch(/^Swapped 0\.5 WETH for 1,[45]\d\d(\.\d\d?)? USDC on Uniswap v3$/)
      await tab.page.getByText('exactInputSingle').waitFor()
      expect(await tab.page.getByText(/ ago$|^in \d/).count()).toBe(1)
      await expectReadable(tab)
    })

  test('an address on a phone shows its worth, its tokens by symbol, and cards in place of tables', async () => {
    await using tab = await openPage(wallet, phone)
    const { page } = tab
    expect(await page.locator('tr', { hasText: 'Worth' }).first().textContent()).toMatch(/^Worth\$[\d,]+\.\d\d$/)
    const card = page.locator('.cards tr', { hasText: '✓ WETH' }).first()
    expect(await card.textContent()).toMatch(/^✓ WETH4\.5\$1[\d,]+\.\d\d$/)
    const labels = await Promise.all([0, 1, 2].map((place) => page.evaluate(labelOf(place))))
    expect(labels).toEqual(['"Token"', '"Amount"', '"Worth"'])
    await expectReadable(tab)
  })

  test('a block on a phone leads to the blocks beside it', async () => {
    await using tab = await openPage(swap, phone)
    const { page } = tab
    await page.locator('main a[href^="/explorer/block/"]').first().click()
    await page.getByRole('link', { name: /^← Block \d+$/ }).waitFor()
    expect(await page.evaluate(labelOf(0))).toBe('"Hash"')
    await expectReadable(tab)
  })

  test('a wide window shows lists as tables', async () => {
    await using tab = await openPage(wallet, wide)
    expect(await tab.page.evaluate(labelOf(0))).toBe('none')
    await tab.page.getByRole('columnheader', { name: 'Worth' }).first().waitFor()
    await expectReadable(tab)
  })

  for (const path of ['/explorer', '/faucet', '/bridge'])
    test(`${path} on a phone`, async () => {
      await using tab = await openPage(path, phone)
      await expectReadable(tab)
    })
})
