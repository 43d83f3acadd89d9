import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedWorld, type World } from '../world.ts'
import { noBrowser, openTab, sharedBrowser, trySandbox } from './browser.ts'
import { fillOrder, tokenOf, trade } from './walks.ts'

describe.skipIf(noBrowser)('what the console may do', () => {
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

  test('a whole walk speaks to its own origin alone, sends every token in a header, and stores the session alone', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await trySandbox(page)
    await fillOrder(page, 'USDC', 'WETH', '10')
    await trade(page)
    for (const name of ['Chat', 'Portfolio', 'Trades']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
    }
    await page.getByRole('region', { name: 'Trades' }).waitFor()
    const token = await tokenOf(page)
    expect(asked.filter((address) => new URL(address).origin !== url)).toEqual([])
    expect(asked.filter((address) => address.includes(token))).toEqual([])
    const answer = await world.clients.rest.call('auth.whoAmI', {}, token)
    expect(answer).toMatchObject({ ok: true, output: { kind: 'session' } })
    const stored = (await page.evaluate('[Object.keys(sessionStorage), Object.keys(localStorage)]')) as string[][]
    expect(stored).toEqual([['trident-session'], []])
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(tab.wrongs).toEqual([])
  })

  test('neither inline code nor text as HTML runs, wherever it comes from', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await page.getByRole('button', { name: 'Try the sandbox' }).waitFor()
    const refused = (await page.evaluate(`(() => {
      const tried = (work) => { try { work(); return 'ran' } catch (error) { return error.name } }
      const place = document.createElement('p')
      document.body.append(place)
      const handler = tried(() => place.setAttribute('onclick', 'window.ran = true'))
      place.click()
      const script = document.createElement('script')
      const inline = tried(() => { script.text = 'window.ran = true' })
      document.body.append(script)
      return [
        handler,
        inline,
        tried(() => { place.innerHTML = '<b>bold</b>' }),
        tried(() => place.insertAdjacentHTML('beforeend', '<b>bold</b>')),
        tried(() => document.write('<b>bold</b>')),
        String(window.ran),
      ]
    })()`)) as string[]
    expect(refused).toEqual([...Array.from({ length: 5 }, () => 'TypeError'), 'undefined'])
  })

  test('a page of another origin cannot frame the console or read its session', async () => {
    const { headers } = await fetch(url)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const foreign = await fetch(url, { headers: { origin: 'https://elsewhere.example' } })
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null])
  })

  test('it names the licences of what it is made of', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await page.getByRole('link', { name: 'Licences' }).click()
    await page.waitForURL('**/licences')
    const text = await page.textContent('body')
    for (const name of ['preact', '@trpc/client', 'eventsource', 'uplot']) expect(text).toContain(name)
    expect(tab.wrongs).toEqual([])
  })
})

test('what a first visit loads is at most 150 kB, compressed', () => {
  const folder = new URL('../../dist/console/assets/', import.meta.url)
  const first = readdirSync(folder).filter((name) => !name.startsWith('chart-'))
  const sizes = first.map((name) => gzipSync(readFileSync(new URL(name, folder))).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(150_000)
})
