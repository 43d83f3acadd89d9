import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedWorld, type World } from '../world.ts'
import { violationsOf } from './axe.ts'
import { expectNoSideways, noBrowser, openTab, sharedBrowser, trySandbox } from './browser.ts'

describe.skipIf(noBrowser)('the start of the console', () => {
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

  test('one button makes an account, a session and a funded wallet, and shows the password once', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await page.getByRole('button', { name: 'Try the sandbox' }).click()
    const card = page.getByRole('region', { name: 'Your account' })
    await card.waitFor()
    const [email = '', password = ''] = await card.locator('code').allTextContents()
    expect(email).toMatch(/^visitor-\w{8}@example\.com$/)
    expect(password).toMatch(/^\w{20}$/)
    await page.getByRole('link', { name: 'Portfolio' }).click()
    await page.getByText('Together $').waitFor()
    await page.getByRole('status').waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'Balances of default' }).getByRole('cell', { name: '25,000 USDC' }).waitFor()
    await card.getByRole('button', { name: 'I have them' }).click()
    expect(await page.content()).not.toContain(password)
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain(password)
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(tab.wrongs).toEqual([])
  })

  test('a reload and a second tab keep the session; after logging out, every tab asks the password', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    const { email, password } = await trySandbox(page)
    await page.reload()
    await page.getByText(email).waitFor()
    const other = await tab.second()
    await other.getByText(email).waitFor()
    const token = (await page.evaluate('JSON.parse(sessionStorage.getItem("trident-session")).token')) as string
    await page.getByRole('button', { name: 'Log out' }).click()
    await other.getByText('You have logged out in another tab.').waitFor()
    const { status } = await fetch(`${url}/api/v1/wallets`, { headers: { authorization: `Bearer ${token}` } })
    expect(status).toBe(401)
    await page.reload()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('link', { name: 'Portfolio' }).waitFor()
    expect(tab.wrongs).toEqual([])
  })

  test('a wrong password and a session that has ended are said in words', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    const { email, password } = await trySandbox(page)
    const login = await world.clients.rest.call('auth.login', { username: email, password })
    if (!login.ok) throw new Error('The login was refused.')
    await world.clients.rest.call('auth.logoutEverywhere', {}, (login.output as { access_token: string }).access_token)
    await page.getByText('Your session has ended. Log in again.').waitFor()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toMatch(/e-mail|password/i)
  })

  test.each(['light', 'dark'] as const)(
    'nothing to object for axe in %s, and the keyboard reaches everything',
    async (colorScheme) => {
      await using tab = await openTab(browser, url, { colorScheme, viewport: { width: 390, height: 800 } })
      const { page } = tab
      await page.getByRole('button', { name: 'Try the sandbox' }).waitFor()
      expect(await violationsOf(page)).toEqual([])
      await expectNoSideways(page)
      await page.getByRole('button', { name: 'Try the sandbox' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('region', { name: 'Your account' }).waitFor()
      await page.getByRole('link', { name: 'Portfolio' }).click()
      await page.getByText('Together $').waitFor()
      expect(await violationsOf(page)).toEqual([])
      await expectNoSideways(page)
      expect(tab.wrongs).toEqual([])
    },
  )
})
