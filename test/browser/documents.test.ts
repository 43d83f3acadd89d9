import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { sharedWorld, type World } from '../world.ts'
import { violationsOf } from './axe.ts'
import { expectNoSideways, noBrowser, openTab, sharedBrowser, type Tab, trySandbox } from './browser.ts'
import { tokenOf } from './walks.ts'

const phone = { viewport: { width: 390, height: 800 } }

describe.skipIf(noBrowser)('the documents in a browser', () => {
  let world: World
  let browser: Browser
  let url: string
  beforeAll(async () => {
    ;[world, browser] = await Promise.all([sharedWorld(), sharedBrowser()])
    url = world.urls.http
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  /** A tab at a page of the documents, in which a request to another origin is a wrong. */
  async function openDocument(path: string, options?: BrowserContextOptions): Promise<Tab> {
    const tab = await openTab(browser, 'about:blank', options)
    tab.page.context().on('request', (request) => {
      if (!request.url().startsWith(`${url}/`) && !/^(data|blob):/.test(request.url())) tab.wrongs.push(request.url())
    })
    await tab.page.goto(url + path)
    return tab
  }

  const operation = (page: Page, id: string) => page.locator(`[id="api-1/tag/${id.split('.')[0]}/${id}"]`)

  /** Expects that a page is drawn well: nothing wider than the window, nothing that axe finds wrong. */
  async function expectSound(page: Page): Promise<void> {
    await expectNoSideways(page)
    expect(await violationsOf(page)).toEqual([])
  }

  test('the reference in the dark on a phone', async () => {
    await using tab = await openDocument('/docs/api#trading.quote', { ...phone, colorScheme: 'dark' })
    await operation(tab.page, 'trading.quote')
      .getByRole('button', { name: /Test Request/ })
      .waitFor()
    expect(await tab.page.locator('#operations').count()).toBe(0)
    await expectSound(tab.page)
    expect(tab.wrongs).toEqual([])
  })

  test('a request that is tried from the reference trades, in the session of the console', async () => {
    await using tab = await openDocument('/', { viewport: { width: 1_300, height: 800 } })
    await trySandbox(tab.page)
    const token = await tokenOf(tab.page)
    const page = await tab.second()
    await page.goto(`${url}/docs/api#trading.execute`)
    await page.getByRole('button', { name: /^Use the session of visitor-/ }).click()
    await operation(page, 'trading.execute').waitFor()
    await expectSound(page)
    await operation(page, 'trading.execute')
      .getByRole('button', { name: /Test Request/ })
      .click()
    const sent = page.waitForResponse('**/multi-agent/execute/evm')
    await page.getByRole('button', { name: /^Send/ }).first().click()
    expect(await (await sent).json()).toMatchObject({ status: 'success' })
    const [trade] = (await output(world.clients.rest.call('trading.listExecutions', {}, token))).items
    expect(trade).toMatchObject({ status: 'success', fill: { amount_in: '0.5' } })
    const kept = '[JSON.stringify({ ...localStorage, ...sessionStorage }), document.cookie, location.href].join()'
    expect(await page.evaluate(kept)).not.toContain(token)
    expect(tab.wrongs).toEqual([])
  })

  test('a method of the node is tried from its reference', async () => {
    await using tab = await openDocument('/docs/rpc#eth_chainId')
    const method = tab.page.locator('[id="api-1/tag/eth/eth_chainId"]')
    await method.getByRole('button', { name: /Test Request/ }).click()
    const sent = tab.page.waitForResponse('**/rpc')
    await tab.page.getByRole('button', { name: /^Send/ }).first().click()
    expect(await (await sent).json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x14a34' })
    expect(tab.wrongs).toEqual([])
  })

  test('addresses of the reference before this one lead to its operations and schemas', async () => {
    await using tab = await openDocument('/docs#trading.quote')
    await tab.page.waitForURL(`${url}/docs/api#tag/trading/trading.quote`)
    await tab.page.goto(`${url}/docs#Problem`)
    await tab.page.waitForURL(`${url}/docs/api#models/Problem`)
    expect(tab.wrongs).toEqual([])
  })

  const plain = ['/docs', '/docs/guides', '/docs/guides/rules', '/docs/guides/rest', '/docs/mcp', '/docs/changes']
  for (const [index, path] of plain.entries())
    test(`${path} on a phone`, async () => {
      await using tab = await openDocument(path, { ...phone, colorScheme: index % 2 === 0 ? 'light' : 'dark' })
      await tab.page.getByRole('heading', { level: 1 }).waitFor()
      await expectSound(tab.page)
      expect(tab.wrongs).toEqual([])
    })

  test('a guide stands between all guides and its headings, and its blocks are copied by a button', async () => {
    await using tab = await openDocument('/docs/guides/trading', {
      viewport: { width: 1_400, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = tab
    const guides = page.getByRole('navigation', { name: 'Guides' })
    expect(await guides.locator('[aria-current=page]').textContent()).toBe('Trade')
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Cancel a trade' }).click()
    await page.waitForURL('**/trading#cancel-a-trade')
    await page.getByRole('button', { name: 'copy' }).first().click()
    await page.getByRole('button', { name: 'copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl -s \$API\/chains/)
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: /→$/ }).click()
    await page.waitForURL('**/docs/guides/live')
    await page.getByRole('link', { name: /^←/ }).click()
    await page.waitForURL('**/docs/guides/trading')
    expect(tab.wrongs).toEqual([])
  })

  test('the key / leads to a search over everything, without a mouse', async () => {
    await using tab = await openDocument('/docs')
    const { page } = tab
    await page.getByRole('combobox', { name: 'Search the documents' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('cancel a trade')
    await page.getByRole('option', { name: /^Cancel a trade/ }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/docs/guides/trading#cancel-a-trade`)
    await page.keyboard.press('/')
    await page.keyboard.type('429')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/docs/guides/rules#RATE_LIMITED`)
    await page.keyboard.press('/')
    await page.keyboard.type('xyzzy')
    await page.getByText('Nothing has “xyzzy” in it').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('listbox').count()).toBe(0)
    expect(tab.wrongs).toEqual([])
  })

  test('without JavaScript the reference is a list of operations', async () => {
    await using tab = await openDocument('/docs/api', { ...phone, javaScriptEnabled: false })
    await tab.page.getByRole('link', { name: 'POST /api/v1/multi-agent/quote/evm/pseudo' }).waitFor()
    expect(await tab.page.getByRole('listitem').count()).toBeGreaterThan(60)
  })
})
