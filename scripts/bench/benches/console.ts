import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { openBrowser, openTab, trySandbox } from '../../../test/browser/browser.ts'
import { fillOrder, trade } from '../../../test/browser/walks.ts'
import { openWorld } from '../../../test/world.ts'
import type { Bench, Figure } from '../figures.ts'
import { inTurns, timed } from '../turns.ts'

const rounds = 5

/** Milliseconds from the request of a page until its first text or picture. */
const firstPaint = `new Promise((resolve) => new PerformanceObserver((list) => {
  const [paint] = list.getEntriesByName('first-contentful-paint')
  if (paint !== undefined) resolve(paint.startTime)
}).observe({ type: 'paint', buffered: true }))`

/** The console in a browser: what it weighs, when it appears, and how long a reader walks to a profit. */
export const bench: Bench = async () => {
  await using world = await openWorld()
  const browser = await openBrowser()
  const paintOf = async (path: string) => {
    await using tab = await openTab(browser, world.urls.http + path)
    return (await tab.page.evaluate(firstPaint)) as number
  }
  const walk = async () => {
    await using tab = await openTab(browser, world.urls.http)
    return await timed(async () => {
      await trySandbox(tab.page)
      await fillOrder(tab.page, 'USDC', 'WETH', '1500')
      await trade(tab.page)
      await fillOrder(tab.page, 'WETH', 'USDC', '0.2')
      await trade(tab.page)
      await tab.page.getByRole('link', { name: 'Portfolio' }).click()
      await tab.page.getByText('0.2 WETH').first().waitFor()
    })
  }
  try {
    const ways = { console: () => paintOf('/'), page: () => paintOf('/faucet'), walk }
    const times = await inTurns(Object.keys(ways) as (keyof typeof ways)[], rounds, async (way) => await ways[way]())
    const paint: Figure = {
      what: 'first paint of the console',
      unit: 'ms',
      rounds: times.get('console') ?? [],
      floor: { name: 'a page without scripts', rounds: times.get('page') ?? [] },
    }
    return [
      ...chunks(),
      paint,
      { what: 'from the first button to a loss in the books', unit: 'ms', rounds: times.get('walk') ?? [] },
    ]
  } finally {
    await browser.close()
  }
}

/** The weight of each built file, compressed as it is sent. */
function chunks(): Figure[] {
  const folder = new URL('../../../dist/console/assets/', import.meta.url)
  return readdirSync(folder).map((name) => ({
    what: name.replace(/-[\w-]{8}\./, '.'),
    unit: 'KiB',
    rounds: [gzipSync(readFileSync(new URL(name, folder)), { level: 9 }).length / 1_024],
  }))
}
