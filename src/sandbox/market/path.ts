import { createHash } from 'node:crypto'

/** An asset whose price moves by itself. Everything else of the market is pegged to these or to the dollar. */
export const assets = ['ETH', 'BTC'] as const
export type Asset = (typeof assets)[number]

/** The logarithm of each price, relative to a fixed one. */
export type LogPrices = Readonly<Record<Asset, number>>

/** Log prices at a moment, in seconds of the path. The same seed has the same path, read in any order. */
export type Path = (seconds: number) => LogPrices

/** The path is drawn at these moments, and straight between them. */
export const slotSeconds = 2
/** A root cell has 2^21 slots, 48.5 days. */
const rootLevel = 21
const secondsPerYear = 31_536_000
const rootYears = (2 ** rootLevel * slotSeconds) / secondsPerYear

/** Volatility a year of each asset, and of the ends of the root cells: prices return to their mean within months. */
const volatility = { ETH: 0.7, BTC: 0.55 }
const rootDeviation = 0.16 / 0.7
/** Both assets follow one common stream, and each its own, so that their returns have a correlation of 0.7. */
const [common, own] = [Math.sqrt(0.7), Math.sqrt(0.3)]
const streams = 3
/** Names the draws of trading time among the streams. */
const timeStream = streams

/** A part of the path: `index` counts cells of its level, `years` is its share of trading time. */
type Cell = { index: number; years: number; left: Float64Array; right: Float64Array }

/**
 * Creates the path of a seed. Each cell is halved by a point drawn around the mean of its ends. Its trading time is
 * shared unevenly among the halves, which makes calm hours, bursts and jumps. Nothing is stored: a moment is found by
 * descending from its root cell, 1 µs where the moment before was near.
 */
export function createPath(seed: string): Path {
  const draw = createDraw(seed)
  const cells: Cell[] = Array.from({ length: rootLevel + 1 }, () => ({
    index: Number.NaN,
    years: 0,
    left: new Float64Array(streams),
    right: new Float64Array(streams),
  }))
  const cellOf = (level: number) => cells[level] as Cell

  function readRoot(root: Cell, index: number): void {
    root.index = index
    root.years = rootYears
    for (let stream = 0; stream < streams; stream += 1) {
      root.left[stream] = rootDeviation * normal(draw(stream, rootLevel + 1, index))
      root.right[stream] = rootDeviation * normal(draw(stream, rootLevel + 1, index + 1))
    }
  }

  /** Reads the half with an index of the cell above a level. */
  function readHalf(level: number, index: number): void {
    const [parent, half] = [cellOf(level + 1), cellOf(level)]
    const isRight = index !== parent.index * 2
    const share = shareOf(level + 1, draw(timeStream, level + 1, parent.index)[0])
    const deviation = Math.sqrt(parent.years * share * (1 - share))
    for (let stream = 0; stream < streams; stream += 1) {
      const [a, b] = [parent.left[stream] ?? 0, parent.right[stream] ?? 0]
      const middle = a + share * (b - a) + deviation * normal(draw(stream, level + 1, parent.index))
      half.left[stream] = isRight ? middle : a
      half.right[stream] = isRight ? b : middle
    }
    half.index = index
    half.years = parent.years * (isRight ? 1 - share : share)
  }

  return (seconds) => {
    const at = seconds / slotSeconds
    const slot = Math.floor(at)
    let level = 0
    while (level <= rootLevel && cellOf(level).index !== Math.floor(slot / 2 ** level)) level += 1
    if (level > rootLevel) {
      level = rootLevel
      readRoot(cellOf(level), Math.floor(slot / 2 ** level))
    }
    for (level -= 1; level >= 0; level -= 1) readHalf(level, Math.floor(slot / 2 ** level))
    const { left, right } = cellOf(0)
    const value = (stream: number) => {
      const [a, b] = [left[stream] ?? 0, right[stream] ?? 0]
      return a + (at - slot) * (b - a)
    }
    const shared = common * value(0)
    return { ETH: volatility.ETH * (shared + own * value(1)), BTC: volatility.BTC * (shared + own * value(2)) }
  }
}

/** The share of a cell's trading time that its left half has. Jumps are where a small half has nearly all. */
function shareOf(level: number, drawn: number): number {
  if (level < 6 || level > 16) return 0.5
  const uniform = drawn / 2 ** 32
  if (uniform < 0.06) return uniform < 0.03 ? 0.88 : 0.12
  return 0.3 + (0.4 * (uniform - 0.06)) / 0.94
}

type Draw = (stream: number, level: number, index: number) => readonly [number, number]

/** Two random words of 32 bits for a place in the path. */
function createDraw(seed: string): Draw {
  const digest = createHash('sha256').update(seed).digest()
  const [first, second] = [digest.readUInt32LE(0), digest.readUInt32LE(4)]
  return (stream, level, index) => {
    const [low, high] = [index | 0, Math.floor(index / 2 ** 32)]
    const place = mixed(mixed(mixed(first ^ (stream * 64 + level)) ^ low) ^ high)
    return [place, mixed(place ^ second)]
  }
}

/** The finalizer of MurmurHash3, which spreads each bit over all. */
function mixed(word: number): number {
  let value = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

/** Nearly normal with a deviation of 1, and never beyond 3.47: the sum of four uniform numbers. */
function normal([first, second]: readonly [number, number]): number {
  const sum = (first & 0xffff) + (first >>> 16) + (second & 0xffff) + (second >>> 16)
  return (sum / 65_536 - 2) * Math.sqrt(3)
}

const daySeconds = 86_400
const mostDays = 3_650
/** When somebody may begin to look, in seconds after the start. */
const looks = [0, 10, 20, 30, 45, 60]

/**
 * The first midnight of a path after which the price of ETH visibly moves within the first three minutes, whenever in
 * the first one somebody begins to look. Random minutes rarely do.
 */
export function livelyStart(path: Path, speed: number): number {
  for (let day = 1; day <= mostDays; day += 1) {
    const start = day * daySeconds
    const price = (seconds: number) => path(start + seconds * speed).ETH
    const moved = (from: number, to: number) => Math.abs(price(to) - price(from))
    const isLively = looks.every((at) => moved(at, at + 180) >= 0.005 && moved(at + 60, at + 180) >= 0.003)
    if (isLively && looks.every((at) => moved(0, at + 180) <= 0.012)) return start
  }
  return daySeconds
}
