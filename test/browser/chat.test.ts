import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedWorld, type World } from '../world.ts'
import { violationsOf } from './axe.ts'
import { expectNoSideways, noBrowser, openTab, sharedBrowser, trySandbox } from './browser.ts'

describe.skipIf(noBrowser)('a trade by chat', () => {
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

  test('a quote comes as a card, is simulated and confirmed, and its trade lives on in the card', async () => {
    await using tab = await openTab(browser, url, { viewport: { width: 390, height: 800 } })
    const { page } = tab
    await trySandbox(page)
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByLabel('Message').fill('swap 1500 USDC for WETH')
    await page.keyboard.press('Enter')
    const card = page.getByRole('region', { name: 'Quote' })
    await card.getByText('You receive about').waitFor()
    await card.getByRole('button', { name: 'Simulate' }).click()
    await card.getByText('It would succeed.').waitFor()
    await card.getByText('allows the router to take 1500 USDC').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await card.getByRole('button', { name: 'Confirm' }).click()
    await page
      .getByRole('region', { name: 'Life of the trade' })
      .getByText(/^success/)
      .waitFor()
    await page.getByText('Status success. Swapped 1500 USDC').waitFor()
    await expectNoSideways(page)
    expect(await violationsOf(page)).toEqual([])
    expect(tab.wrongs).toEqual([])
  })

  test('a quote that the wallet cannot pay is said so before it is confirmed', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await trySandbox(page)
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByLabel('Message').fill('swap 90000 USDC for WETH')
    await page.keyboard.press('Enter')
    const card = page.getByRole('region', { name: 'Quote' })
    await card.getByText('From wallet').waitFor()
    await card.getByRole('button', { name: 'Simulate' }).click()
    await card.getByText('It would not be traded.').waitFor()
    expect(tab.wrongs).toEqual([])
  })

  test('an answer names its sources, is there after a reload, and is text whatever it says', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await trySandbox(page)
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByRole('button', { name: 'what is the TVL of Ethereum?' }).click()
    await page.getByText(/^Sources: /).waitFor()
    const hostile = '<img src=x onerror="document.title=1"> **bold** <b>quote</b>'
    await page.getByLabel('Message').fill(hostile)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await page.reload()
    await page.getByText(hostile, { exact: true }).waitFor()
    expect(await page.getByRole('article', { name: 'Assistant' }).count()).toBe(2)
    expect(await page.getByRole('region', { name: 'Conversation' }).locator('img, b').count()).toBe(0)
    await page.getByRole('button', { name: 'Delete the conversation' }).click()
    await page.getByRole('button', { name: 'Delete all messages' }).click()
    await page.getByText('Nothing trades before you confirm').waitFor()
    expect(tab.wrongs).toEqual([])
  })
})
