/**
 * What a Uniswap v3 pool pays, computed as its contract does, rounding included: SwapMath, SqrtPriceMath, TickMath and
 * TickBitmap of v3-core 1.0. https://github.com/Uniswap/v3-core/tree/v1.0.0/contracts/libraries
 */

/** A pool at one block, as far as it is known. */
export type V3Pool = {
  /** The square root of token1 per token0, times 2^96. */
  root: bigint
  tick: number
  liquidity: bigint
  /** Hundredths of a basis point. */
  feePips: number
  tickSpacing: number
  /** Which ticks are initialized, 256 in a word, by the position of the word. */
  words: ReadonlyMap<number, bigint>
  /** The liquidity that is added where the price rises past an initialized tick. */
  nets: ReadonlyMap<number, bigint>
}

/** What a pool pays, and how many initialized ticks the price passes. */
export type V3Swap = { amountOut: bigint; crossed: number }

const highestTick = 887_272
const wholePips = 1_000_000n
const ticksOfWord = 256

/** What the pool pays for an amount; null where the swap needs more of the pool than is known, or fails. */
export function swapV3(pool: V3Pool, paysToken0: boolean, amountIn: bigint): V3Swap | null {
  if (amountIn <= 0n || amountIn >> 255n !== 0n || pool.root === 0n) return null
  let { root, tick, liquidity } = pool
  let left = amountIn
  let amountOut = 0n
  let crossed = 0
  while (left > 0n) {
    const next = nextTick(pool, tick, paysToken0)
    if (next === null || Math.abs(next.tick) >= highestTick) return null
    const step = stepTo(rootAt(next.tick), { root, liquidity, left, feePips: BigInt(pool.feePips) }, paysToken0)
    if (step.root >> 160n !== 0n) return null
    left -= step.spent
    amountOut += step.out
    root = step.root
    if (!step.reached) break
    tick = paysToken0 ? next.tick - 1 : next.tick
    if (!next.initialized) continue
    const net = pool.nets.get(next.tick)
    if (net === undefined) return null
    liquidity += paysToken0 ? -net : net
    if (liquidity < 0n) return null
    crossed += 1
  }
  return { amountOut, crossed }
}

type Step = { root: bigint; liquidity: bigint; left: bigint; feePips: bigint }

/** Moves the price towards a target as far as the amount that is left does, or the target allows. */
function stepTo(target: bigint, { root, liquidity, left, feePips }: Step, paysToken0: boolean) {
  const paid = paysToken0 ? amount0 : amount1
  const received = paysToken0 ? amount1 : amount0
  const leftAfterFee = (left * (wholePips - feePips)) / wholePips
  const needed = paid(root, target, liquidity, true)
  if (leftAfterFee >= needed) {
    const fee = divideUp(needed * feePips, wholePips - feePips)
    return { root: target, spent: needed + fee, out: received(root, target, liquidity, false), reached: true }
  }
  const moved = paysToken0 ? rootAfter0(root, liquidity, leftAfterFee) : root + (leftAfterFee << 96n) / liquidity
  return { root: moved, spent: left, out: received(root, moved, liquidity, false), reached: false }
}

/** The amount of token0 between two prices. */
function amount0(a: bigint, b: bigint, liquidity: bigint, up: boolean): bigint {
  const [low, high] = a < b ? [a, b] : [b, a]
  const product = (liquidity << 96n) * (high - low)
  return up ? divideUp(divideUp(product, high), low) : product / high / low
}

/** The amount of token1 between two prices. */
function amount1(a: bigint, b: bigint, liquidity: bigint, up: boolean): bigint {
  const product = liquidity * (a < b ? b - a : a - b)
  return up ? divideUp(product, 1n << 96n) : product >> 96n
}

/** The price after an amount of token0 is paid. The contract takes the second way where the first overflows 256 bits. */
function rootAfter0(root: bigint, liquidity: bigint, amount: bigint): bigint {
  const scaled = liquidity << 96n
  const product = amount * root
  if (product >> 256n === 0n && (scaled + product) >> 256n === 0n) return divideUp(scaled * root, scaled + product)
  return divideUp(scaled, scaled / root + amount)
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

/** The word of a tick, and its place in the word. */
function placeOf(tick: number, tickSpacing: number): { word: number; bit: number } {
  const compressed = Math.floor(tick / tickSpacing)
  const word = Math.floor(compressed / ticksOfWord)
  return { word, bit: compressed - word * ticksOfWord }
}

/** The next initialized tick of the word in the direction of the swap, or the end of the word; null where it is unknown. */
function nextTick({ words, tickSpacing }: V3Pool, from: number, down: boolean) {
  const { word, bit } = placeOf(down ? from : from + tickSpacing, tickSpacing)
  const bits = words.get(word)
  if (bits === undefined) return null
  const ahead = down ? bits & ((2n << BigInt(bit)) - 1n) : (bits >> BigInt(bit)) << BigInt(bit)
  const end = down ? 0 : ticksOfWord - 1
  const place = ahead === 0n ? end : down ? highestBit(ahead) : highestBit(ahead & -ahead)
  return { tick: (word * ticksOfWord + place) * tickSpacing, initialized: ahead !== 0n }
}

function highestBit(bits: bigint): number {
  return bits.toString(2).length - 1
}

/** The words of the ticks near a price: its own, and the one on the nearer side of it. */
export function wordsAround(tick: number, tickSpacing: number): readonly number[] {
  const { word, bit } = placeOf(tick, tickSpacing)
  return [word, bit < ticksOfWord / 2 ? word - 1 : word + 1]
}

/** The initialized ticks of the words that are nearest to a price, at most `most` on either side. */
export function ticksNear(pool: Pick<V3Pool, 'tick' | 'tickSpacing' | 'words'>, most: number): readonly number[] {
  const ticks: number[] = []
  for (const [word, bits] of pool.words) {
    for (let rest = bits; rest !== 0n; rest &= rest - 1n)
      ticks.push((word * ticksOfWord + highestBit(rest & -rest)) * pool.tickSpacing)
  }
  ticks.sort((left, right) => left - right)
  const above = ticks.findIndex((tick) => tick > pool.tick)
  const middle = above === -1 ? ticks.length : above
  return ticks.slice(Math.max(0, middle - most), middle + most)
}

/** The factors of the square root of 1.0001 to the power of -1, -2, -4 and so on, times 2^128. */
const factors = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
]

/** The square root of the price at a tick, times 2^96. */
export function rootAt(tick: number): bigint {
  const steps = Math.abs(tick)
  let ratio = 1n << 128n
  for (const [bit, factor] of factors.entries()) if (steps & (1 << bit)) ratio = (ratio * factor) >> 128n
  if (tick > 0) ratio = ((1n << 256n) - 1n) / ratio
  return divideUp(ratio, 1n << 32n)
}
