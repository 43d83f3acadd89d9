import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { parseJson } from '../../kit/values.ts'
import { feeds } from '../deploy/market.ts'
import { writeWhole } from '../kit/files.ts'
import { type Asset, assets, createPath, livelyStart, type Path } from './path.ts'

/** How a market runs: `still` holds every price where it is, and `speed` is bounded so that no moment overflows. */
export const marketPace = z.object({ mode: z.enum(['moving', 'still']), speed: z.number().positive().max(1_000) })

export type MarketMode = z.infer<typeof marketPace>['mode']

/** How the market of a data folder runs. */
export type MarketSettings = {
  mode: MarketMode
  /** Seconds of the price path for one second of the clock. */
  speed: number
  /** Undefined draws one for each data folder. */
  seed?: string | undefined
}

/** The prices of the market at every moment, in seconds since 1970. */
export type MarketPrices = {
  /** The first moment for which there is a price. */
  began: number
  /** US dollars for one unit. */
  usd(asset: Asset, at: number): number
}

/** The prices of a running market, and the hands on it. A change is on the disk before it returns. */
export type PriceClock = MarketPrices & {
  /** Null while nothing has moved the market yet. */
  readonly seed: string | null
  running(at: number): { mode: MarketMode; speed: number }
  /** From a moment whose prices have not been served yet. Throws RangeError where the price is too far from the first one. */
  setPrice(asset: Asset, usd: number, at: number): void
  setRunning(change: Partial<{ mode: MarketMode; speed: number }>, at: number): void
}

/** The prices with which every sandbox begins. */
export const firstPrices: Readonly<Record<Asset, number>> = {
  ETH: Number(feeds[0].answer) / 1e8,
  BTC: Number(feeds[1].answer) / 1e8,
}

/** A set price may be so many times higher or lower than the first one: the stock of the arbitrageur has an end. */
const furthestFactor = 10

/** The lowest and the highest price that can be set. */
export function priceRange(asset: Asset): readonly [number, number] {
  return [firstPrices[asset] / furthestFactor, firstPrices[asset] * furthestFactor]
}
/** A set price fades into the path: half of the way is gone after 30 days of the path. */
const fadeSeconds = 30 * 86_400
/** A market that moves from the start has prices of so long before. */
const historySeconds = 30 * 86_400

/** From `at` on: the path's moment, its pace, and how far log prices are off the path. */
const segment = marketPace.extend({
  at: z.number(),
  path: z.number(),
  off: z.object({ ETH: z.number(), BTC: z.number() }),
})
type Segment = z.infer<typeof segment>

const stored = z.object({
  seed: z.string(),
  began: z.number(),
  /** The settings of the last start. They act only when they change, so that what an operator did outlasts a restart. */
  settings: marketPace,
  segments: z.array(segment).min(1),
})
type Stored = z.infer<typeof stored>

/** What is stored, and the path of its seed. */
type Opened = { path: Path; state: Stored }

type ClockOptions = MarketSettings & {
  file: string
  /** The time of the chain's first block, in seconds since 1970. */
  chainBegan: number
  /** Whether the chain begins with this start: it then has a past, and begins with a lively hour. */
  fresh: boolean
  /** The first moment whose prices have not been served yet. */
  now: number
}

/** Opens the market of a data folder. Throws an Error that says what to do where the file cannot be used. */
export function openClock(options: ClockOptions): PriceClock {
  const { file, mode, speed, now, fresh, chainBegan } = options
  const settings = { mode, speed }
  let market = readState(options)

  function store(next: Opened): void {
    writeWhole(file, `${JSON.stringify(next.state)}\n`)
    market = next
  }

  /** Changes what runs from a moment on. Nothing later has been seen, so it may replace what was to run then. */
  function change(at: number, turn: (before: Segment, path: Path) => Segment): void {
    const { path, state } = market ?? beginning(options, { at: chainBegan, began: chainBegan, mode: 'still' })
    const before = segmentAt(state, at)
    const resumed = { ...before, at, path: momentOf(before, at), off: offAt(before, at) }
    const kept = state.segments.filter((one) => one.at < at)
    store({ path, state: { ...state, settings, segments: [...kept, turn(resumed, path)] } })
  }

  const setRunning: PriceClock['setRunning'] = (wanted, at) => change(at, (before) => ({ ...before, ...wanted }))
  if (market === null && fresh && mode === 'moving')
    store(beginning(options, { at: now, began: chainBegan - historySeconds, mode }))
  else if (market === null && mode === 'moving') setRunning(settings, now)
  else if (market !== null && !isDeepStrictEqual(market.state.settings, settings))
    setRunning(changed(market.state.settings, settings), now)
  return {
    get seed() {
      return market?.state.seed ?? null
    },
    get began() {
      return market?.state.began ?? chainBegan
    },
    usd: (asset, at) => (market === null ? firstPrices[asset] : usdAt(market, asset, at)),
    running(at) {
      const { mode: runs, speed: pace } = market === null ? settings : segmentAt(market.state, at)
      return { mode: runs, speed: pace }
    },
    setPrice(asset, usd, at) {
      const [lowest, highest] = priceRange(asset)
      if (!(usd >= lowest && usd <= highest)) throw new RangeError(`must be from ${lowest} to ${highest} for ${asset}`)
      change(at, (before, path) => {
        const off = Math.log(usd / firstPrices[asset]) - path(before.path)[asset]
        return { ...before, off: { ...before.off, [asset]: off } }
      })
    },
    setRunning,
  }
}

/** The settings that differ from those of the start before. The others leave what an operator did. */
function changed(before: Stored['settings'], now: Stored['settings']): Partial<Stored['settings']> {
  return {
    ...(now.mode === before.mode ? {} : { mode: now.mode }),
    ...(now.speed === before.speed ? {} : { speed: now.speed }),
  }
}

/** A market whose prices are the first ones at `at`. */
function beginning(
  { seed = randomBytes(8).toString('hex'), mode, speed }: ClockOptions,
  first: { at: number; began: number; mode: MarketMode },
): Opened {
  const path = createPath(seed)
  const start = livelyStart(path, speed)
  const { ETH, BTC } = path(start)
  const segments = [{ at: first.at, path: start, mode: first.mode, speed, off: { ETH: -ETH, BTC: -BTC } }]
  return { path, state: { seed, began: first.began, settings: { mode, speed }, segments } }
}

function readState({ file, seed }: ClockOptions): Opened | null {
  if (!existsSync(file)) return null
  const { success, data } = stored.safeParse(parseJson(readFileSync(file, 'utf8')))
  if (!success)
    throw new Error(
      `${file} is damaged: restore it from a backup. Without it the market goes on from its first prices.`,
    )
  if (seed !== undefined && seed !== data.seed)
    throw new Error(
      `The market of this DATA_DIR runs on the seed ${data.seed}: leave SANDBOX_SEED out, or begin in an empty DATA_DIR.`,
    )
  return { path: createPath(data.seed), state: data }
}

/** The segment of a moment. The first one also holds before it began. */
function segmentAt({ segments }: Stored, at: number): Segment {
  return segments.findLast((one) => one.at <= at) ?? (segments[0] as Segment)
}

/** The path's moment. */
function momentOf({ at: since, path, mode, speed }: Segment, at: number): number {
  return mode === 'still' ? path : path + (at - since) * speed
}

/** How far log prices are off the path. Before the market began nothing had been set that could fade. */
function offAt(segment: Segment, at: number): Segment['off'] {
  const passed = Math.max(0, momentOf(segment, at) - segment.path)
  const left = 2 ** (-passed / fadeSeconds)
  return { ETH: segment.off.ETH * left, BTC: segment.off.BTC * left }
}

function usdAt({ path, state }: Opened, asset: Asset, at: number): number {
  const running = segmentAt(state, at)
  return firstPrices[asset] * Math.exp(path(momentOf(running, at))[asset] + offAt(running, at)[asset])
}

/** The prices of a market that has never moved. */
export function stillPrices(began: number): MarketPrices {
  return { began, usd: (asset) => firstPrices[asset] }
}

/** The assets by the symbols of their tokens. */
const assetOf: ReadonlyMap<string, Asset> = new Map(assets.map((asset) => [`W${asset}`, asset]))

/** US dollars for one token by its symbol, 0 where the market does not price it. */
export function usdOf(prices: MarketPrices, symbol: string, at: number): number {
  const asset = assetOf.get(symbol)
  return asset === undefined ? Number(symbol === 'USDC') : prices.usd(asset, at)
}
