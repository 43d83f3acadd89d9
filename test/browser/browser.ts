import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page, type Response } from 'playwright-core'
import { expect } from 'vitest'

const executablePath = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path))

/** True where no Chromium is installed; a test that is skipped for it says so. */
export const noBrowser = executablePath === undefined
if (noBrowser) console.log('SKIPPED, no Chromium: bash test/browser/install.sh installs it, or CHROMIUM names one.')

/** Starts the browser without a window. Closing it is the caller's. */
export async function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('There is no Chromium.')
  // The sandbox of Chromium refuses to run as root. The pages are our own.
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

let ofRun: Promise<Browser> | null = null

/** One browser for the files of a run, which ends with it. Each tab has a profile of its own. */
export function sharedBrowser(): Promise<Browser> {
  ofRun ??= openBrowser()
  return ofRun
}

/** A tab of a browser profile of its own, which keeps what went wrong in it. */
export type Tab = AsyncDisposable & {
  page: Page
  /** Messages of the console of kind error, uncaught exceptions, and refused requests. */
  wrongs: string[]
  /** A second tab of the same profile. */
  second(): Promise<Page>
}

/** Opens the console of a gateway. A script runs in each page before those of the page. */
export async function openTab(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  script?: string,
): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1_000, height: 700 }, ...options })
  if (script !== undefined) await context.addInitScript(script)
  const wrongs: string[] = []
  const open = async () => {
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    page.on('console', (message) => message.type() === 'error' && wrongs.push(message.text()))
    page.on('pageerror', (error) => wrongs.push(String(error)))
    page.on('response', (response) => response.status() >= 400 && wrongs.push(refusalOf(response)))
    await page.goto(url)
    return page
  }
  return { page: await open(), wrongs, second: open, [Symbol.asyncDispose]: () => context.close() }
}

function refusalOf(response: Response): string {
  return `${response.status()} ${response.request().method()} ${response.url()}`
}

/** Makes an account of the sandbox by the first button, and returns what it was shown. */
export async function trySandbox(page: Page): Promise<{ email: string; password: string }> {
  await page.getByRole('button', { name: 'Try the sandbox' }).click()
  const card = page.getByRole('region', { name: 'Your account' })
  await card.waitFor()
  const [email = '', password = ''] = await card.locator('code').allTextContents()
  await card.getByRole('button', { name: 'I have them' }).click()
  return { email, password }
}

/** Expects that nothing is wider than the window. */
export async function expectNoSideways(page: Page): Promise<void> {
  const [content = 0, window = 0] = (await page.evaluate(
    '[document.documentElement.scrollWidth, innerWidth]',
  )) as number[]
  expect(content).toBeLessThanOrEqual(window)
}
