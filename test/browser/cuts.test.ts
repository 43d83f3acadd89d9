import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ModelProcess, startModel } from '../assistant/model.ts'
import { says } from '../assistant/script.ts'
import { openWorld, type World } from '../world.ts'
import { noBrowser, openTab, sharedBrowser, trySandbox } from './browser.ts'
import { type Cuttable, cuttable } from './cuttable.ts'
import { fillOrder, tokenOf, tradeMany } from './walks.ts'

/** Script by which a page counts the streams that it reads: fetches whose body has not ended. */
const countStreams = `
  window.streams = 0
  const fetched = window.fetch
  window.fetch = async (...request) => {
    const response = await fetched(...request)
    const isStream = /event-stream/.test(response.headers.get('content-type')) || /watchQuote|chat.stream/.test(response.url)
    if (!isStream) return response
    window.streams += 1
    const signal = request[1]?.signal
    signal?.addEventListener('abort', () => { window.streams -= 1 })
    return response
  }`
const streamsOpen = 'window.streams'

/** Script that hides or shows the page, as another tab in front does; a browser without a window never hides one. */
const show = (shown: boolean) => `
  Object.defineProperty(document, 'hidden', { configurable: true, value: ${!shown} })
  document.dispatchEvent(new Event('visibilitychange'))`

describe.skipIf(noBrowser)('streams that are cut', () => {
  let model: ModelProcess
  let world: World
  let browser: Browser
  let way: Cuttable
  beforeAll(async () => {
    ;[model, browser] = await Promise.all([startModel(), sharedBrowser()])
    world = await openWorld({ LLM_BASE_URL: model.url, LLM_MODEL: 'scripted', LLM_SILENCE_SECONDS: '60' })
    way = await cuttable(world.urls.http)
  })
  afterAll(async () => {
    await way?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
    await model?.[Symbol.asyncDispose]()
  })

  const cutNote = (page: Page) => page.getByText('The connection to the gateway is cut.')

  test('the trades of the time without a connection are there after it, each once', async () => {
    await using tab = await openTab(browser, way.url)
    const { page } = tab
    await trySandbox(page)
    await page.getByRole('link', { name: 'Trades', exact: true }).click()
    const rows = page.getByRole('region', { name: 'Trades' }).getByText('success')
    await tradeMany(world.clients.rest, await tokenOf(page), 2)
    await expect.poll(() => rows.count()).toBe(2)
    for (const turn of [1, 2]) {
      way.cut()
      await cutNote(page).waitFor()
      await tradeMany(world.clients.rest, await tokenOf(page), 3)
      way.mend()
      await cutNote(page).waitFor({ state: 'detached' })
      await expect.poll(() => rows.count()).toBe(2 + turn * 3)
    }
  })

  test('a live price says that it is old, and goes on', async () => {
    await using tab = await openTab(browser, way.url)
    const { page } = tab
    await trySandbox(page)
    await fillOrder(page, 'WETH', 'USDC', '0.1')
    const block = page.getByTestId('block')
    await block.waitFor()
    way.cut()
    await page.getByText('Connection lost; price of').waitFor()
    const old = Number(await block.textContent())
    way.mend()
    await page.getByText('Live, as of').waitFor()
    await expect.poll(async () => Number(await block.textContent())).toBeGreaterThan(old)
  })

  test('an answer is read on after its last piece, none missing and none twice', async () => {
    await model.teach({ half: [{ events: says('The first half.'), end: { later: says(' The second', ' half.') } }] })
    await using tab = await openTab(browser, way.url)
    const { page } = tab
    await trySandbox(page)
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByLabel('Message').fill('Well? #half')
    await page.keyboard.press('Enter')
    const answer = page.getByRole('article', { name: 'Assistant' })
    await answer.getByText('The first half.').waitFor()
    way.cut()
    await cutNote(page).waitFor()
    await model.goOn()
    way.mend()
    await answer.getByText('The first half. The second half.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    expect(await answer.locator('.text').textContent()).toBe('The first half. The second half.')
  })

  test('an answer that was being written is read on after a reload, and can be stopped', async () => {
    await model.teach({ slow: [{ events: says('The first half.'), end: { later: says(' The second half.') } }] })
    await using tab = await openTab(browser, way.url)
    const { page } = tab
    await trySandbox(page)
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByLabel('Message').fill('Well? #slow')
    await page.keyboard.press('Enter')
    const answer = page.getByRole('article', { name: 'Assistant' })
    await answer.getByText('The first half.').waitFor()
    await page.reload()
    await answer.getByText('The first half.').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('This answer was stopped.').waitFor()
    expect(await answer.locator('.text').textContent()).toBe('The first half.')
    expect(tab.wrongs).toEqual([])
  })

  test('a hidden tab holds no stream, and takes up both when it is shown', async () => {
    await using tab = await openTab(browser, way.url, {}, countStreams)
    const { page } = tab
    await trySandbox(page)
    await fillOrder(page, 'WETH', 'USDC', '0.1')
    const block = page.getByTestId('block')
    await block.waitFor()
    const before = Number(await block.textContent())
    await page.evaluate(show(false))
    await expect.poll(() => page.evaluate(streamsOpen)).toBe(0)
    await page.evaluate(show(true))
    await expect.poll(() => page.evaluate(streamsOpen)).toBe(2)
    await expect.poll(async () => Number(await block.textContent())).toBeGreaterThan(before)
    await page.getByRole('link', { name: 'Trades', exact: true }).click()
    await page.getByText('Nothing was traded yet.').waitFor()
    await expect.poll(() => page.evaluate(streamsOpen)).toBe(1)
    await page.evaluate(show(false))
    await tradeMany(world.clients.rest, await tokenOf(page), 1)
    await page.evaluate(show(true))
    await page.getByRole('region', { name: 'Trades' }).getByText('success').waitFor()
    expect(await page.getByText('Nothing was traded yet.').count()).toBe(0)
    expect(tab.wrongs).toEqual([])
  })
})
