import type { Basis } from '../ports/ledger.ts'

/**
 * Average-cost arithmetic on one holding. `quantity` is in the smallest unit of the token, USD in 1e-18. Cost leaves
 * in proportion to the sold quantity, rounded down, and the last unit takes the rest, so that no cost is lost or invented.
 */
export type Holding = Basis & { realizedPnlUsd: bigint }

export const nothing: Holding = { quantity: 0n, costUsd: 0n, realizedPnlUsd: 0n }

/** Adds a quantity that cost so much in all. */
export function acquire(holding: Holding, quantity: bigint, costUsd: bigint): Holding {
  demand(quantity >= 0n && costUsd >= 0n, 'an acquisition is not negative')
  return { ...holding, quantity: holding.quantity + quantity, costUsd: holding.costUsd + costUsd }
}

/** Sells a quantity that is held for so much in all; the difference to its average cost is realised. */
export function dispose(holding: Holding, quantity: bigint, proceedsUsd: bigint): Holding {
  const { rest, costUsd } = take(holding, quantity)
  return { ...rest, realizedPnlUsd: rest.realizedPnlUsd + proceedsUsd - costUsd }
}

/** Moves a quantity that is held to another holding at its average cost; nothing is realised. */
export function transfer(from: Holding, to: Holding, quantity: bigint): { from: Holding; to: Holding } {
  const { rest, costUsd } = take(from, quantity)
  return { from: rest, to: acquire(to, quantity, costUsd) }
}

/** Worth less cost. */
export function unrealized(holding: Holding, marketValueUsd: bigint): bigint {
  return marketValueUsd - holding.costUsd
}

/** Takes a quantity that is held out at its average cost; nothing is realised. */
export function take<Held extends Basis>(holding: Held, quantity: bigint): { rest: Held; costUsd: bigint } {
  demand(quantity >= 0n && quantity <= holding.quantity, 'only what is held can leave a holding')
  const all = quantity === holding.quantity
  const costUsd = all ? holding.costUsd : (holding.costUsd * quantity) / holding.quantity
  return { rest: { ...holding, quantity: holding.quantity - quantity, costUsd: holding.costUsd - costUsd }, costUsd }
}

/** The smaller of two quantities. */
export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function demand(condition: boolean, rule: string): void {
  if (!condition) throw new Error(`An invariant of the books is violated: ${rule}.`)
}
