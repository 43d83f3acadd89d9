import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { operatorToken } from '../operator-token.ts'
import { openWorld, type World } from '../world.ts'
import { violationsOf } from './axe.ts'
import { expectNoSideways, noBrowser, openTab, sharedBrowser, trySandbox } from './browser.ts'
import { cuttable } from './cuttable.ts'
import { fillOrder, tokenOf, trade } from './walks.ts'

describe.skipIf(noBrowser)('a trade by form', () => {
  let world: World
  let browser: Browser
  let url: string
  beforeAll(async () => {
    ;[world, browser] = await Promise.all([openWorld(), sharedBrowser()])
    url = world.urls.http
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  const countOf = async (token: string): Promise<number> =>
    (await output(world.clients.rest.call('trading.listExecutions', {}, token))).items.length

  test('the price is live, the simulation shows what will be signed, and the trade lives on by itself', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await trySandbox(page)
    await fillOrder(page, 'USDC', 'WETH', '1500')
    const block = page.getByTestId('block')
    const first = Number(await block.textContent())
    await expect.poll(async () => Number(await block.textContent())).toBeGreaterThan(first + 1)
    const price = page.getByRole('region', { name: 'Live price' })
    expect(await price.textContent()).toMatch(
      /You sell1,500 USDC.*You receive about0\.4\d+ WETH.*At least0\.4\d+ WETH \(0\.5 % less\)/,
    )
    expect(await price.textContent()).toMatch(/RouteUSDC → WETH.*Price impact[\d.]+ %.*Gasabout [\d,]+ gas units/)
    await page.getByRole('region', { name: 'Risk', exact: true }).getByText('Price against the feeds: passed').waitFor()
    await page.getByRole('button', { name: 'Simulate', exact: true }).click()
    const signed = page.getByRole('region', { name: 'What will be signed' })
    await signed.getByText('allows the router to take 1500 USDC').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Confirm trade' }).click()
    const life = page.getByRole('region', { name: 'Life of the trade' })
    for (const step of ['quote', 'risk', 'reserved', 'signed', 'broadcast', 'included', 'safe'])
      await life.getByText(step, { exact: true }).first().waitFor()
    expect(await life.textContent()).toMatch(/success.*1,500 USDC → 0\.4\d+ WETH.*Gas of the swap.*ETH, block \d+/)
    expect(await life.textContent()).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
    expect(await violationsOf(page)).toEqual([])
    expect(tab.wrongs).toEqual([])
  })

  test('wrong fields are named before anything is sent, and an amount without funds after the simulation', async () => {
    await using tab = await openTab(browser, url, { viewport: { width: 390, height: 800 } })
    const { page } = tab
    await trySandbox(page)
    await fillOrder(page, 'NOTHING', 'WETH', '-1')
    await page.getByText('No token of this symbol is listed.').waitFor()
    await page.getByText('Write a number above zero').waitFor()
    expect(await page.getByRole('button', { name: 'Simulate', exact: true }).isDisabled()).toBe(true)
    await fillOrder(page, 'USDC', 'WETH', '900000')
    await page.getByRole('button', { name: 'Simulate', exact: true }).click()
    await page.getByText('It would not be traded.').waitFor()
    expect(await page.getByRole('button', { name: 'Confirm trade' }).count()).toBe(0)
    await expectNoSideways(page)
    expect(tab.wrongs).toEqual([])
  })

  test('a token that fails the risk checks cannot be confirmed, and the reasons say why', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await trySandbox(page)
    await fillOrder(page, 'WETH', 'USDC', '0.1')
    await page.getByText('Risk: low').waitFor()
    await page.getByLabel('Buy').fill('BADSELL')
    // The risk of the token before is gone at once.
    await page.getByText('Risk: low').waitFor({ state: 'detached', timeout: 1_000 })
    await page.getByText('Risk: high').waitFor()
    await page.getByRole('button', { name: 'Simulate', exact: true }).click()
    const card = page.getByRole('region', { name: 'Simulation', exact: true })
    await card.getByText('It would not be traded.').waitFor()
    expect(await card.getByRole('button', { name: 'Confirm trade' }).count()).toBe(0)
    expect(tab.wrongs).toEqual([])
  })

  test('a simulation of another order than the form has cannot be confirmed', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await trySandbox(page)
    await fillOrder(page, 'USDC', 'WETH', '20')
    await page.getByRole('button', { name: 'Simulate', exact: true }).click()
    const card = page.getByRole('region', { name: 'Simulation', exact: true })
    const confirm = card.getByRole('button', { name: 'Confirm trade' })
    await confirm.waitFor()
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Simulation')
    await page.getByLabel('Amount').fill('500')
    await card.getByText('The form has changed since.').waitFor()
    expect(await confirm.count()).toBe(0)
    await card.getByRole('button', { name: 'Simulate again' }).click()
    await card.getByText('500 USDC').first().waitFor()
    await page.getByRole('button', { name: 'Sell all of it' }).click()
    expect(await page.getByLabel('Amount').inputValue()).toBe('25000')
    expect(tab.wrongs).toEqual([])
  })

  test('a confirmation whose answer is lost is sent again as the same trade, and nothing else can be traded meanwhile', async () => {
    await using way = await cuttable(url)
    await using tab = await openTab(browser, way.url)
    const { page } = tab
    await trySandbox(page)
    await fillOrder(page, 'USDC', 'WETH', '777')
    await page.getByRole('button', { name: 'Simulate', exact: true }).click()
    const confirm = page.getByRole('button', { name: 'Confirm trade' })
    await confirm.waitFor()
    const token = await tokenOf(page)
    // The request arrives, and neither its answer nor the account's stream does.
    await page.route(
      '**/trading.execute*',
      async (route) => {
        way.cut()
        await route.fetch({ url: route.request().url().replace(way.url, url) })
        await route.abort()
      },
      { times: 1 },
    )
    await confirm.click()
    await page.getByText('Whether it was traded is not known.').waitFor()
    expect(await page.getByRole('button', { name: 'Simulate', exact: true }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Simulate again' }).count()).toBe(0)
    way.mend()
    const again = page.getByRole('button', { name: 'Confirm again' })
    // The stream may bring the trade before it is pressed.
    if (await again.isVisible()) await again.click({ timeout: 2_000 }).catch(() => undefined)
    await page
      .getByRole('region', { name: 'Life of the trade' })
      .getByText(/^success/)
      .waitFor()
    expect(await countOf(token)).toBe(1)
  })

  test('nothing of an account is left for the next one', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await trySandbox(page)
    await fillOrder(page, 'USDC', 'WETH', '10')
    await trade(page)
    await page.getByRole('button', { name: 'Log out' }).click()
    await trySandbox(page)
    await page.getByRole('link', { name: 'Trade', exact: true }).click()
    expect(await page.getByLabel('Amount').inputValue()).toBe('')
    expect(await page.getByRole('region', { name: 'Life of the trade' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Trades', exact: true }).click()
    await page.getByText('Nothing was traded yet.').waitFor()
    expect(tab.wrongs).toEqual([])
  })

  test('two tabs have live prices, and a halt by the operator reaches both', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await trySandbox(page)
    const pages = [page, await tab.second()]
    for (const each of pages) await fillOrder(each, 'WETH', 'USDC', '0.1')
    for (const each of pages) {
      const first = Number(await each.getByTestId('block').textContent())
      await expect.poll(async () => Number(await each.getByTestId('block').textContent())).toBeGreaterThan(first)
    }
    const halt = async (id: 'operator.haltTrading' | 'operator.resumeTrading') =>
      await world.clients.rest.call(id, { scope: 'global' }, operatorToken)
    await halt('operator.haltTrading')
    for (const each of pages) await each.getByText('An operator halted trading').waitFor()
    await halt('operator.resumeTrading')
    for (const each of pages) await each.getByText('An operator halted trading').waitFor({ state: 'detached' })
    expect(tab.wrongs).toEqual([])
  })
})
