import { sameAddress } from '../ports/chains.ts'
import type { Portion } from '../ports/ledger.ts'
import { smaller, take } from './average-cost.ts'
import type { Amount } from './positions.ts'

/** Takes what returns over the bridge from what is away, oldest first; the rest never left, and has its value. */
export function returned(away: readonly Portion[], { token, quantity, valueUsd }: Amount) {
  let missing = quantity
  const taken: Portion[] = []
  const left = away.flatMap((part) => {
    if (missing === 0n || !sameAddress(part.token, token)) return [part]
    const used = smaller(part.quantity, missing)
    const { rest, costUsd } = take(part, used)
    missing -= used
    taken.push({ ...part, quantity: used, costUsd })
    return rest.quantity === 0n ? [] : [rest]
  })
  return { taken, left, lacking: { token, quantity: missing, valueUsd: (valueUsd * missing) / quantity } }
}

/** The most parts that are remembered apart. */
const mostAway = 100

/**
 * Joins the two oldest parts where there are too many, at their cost together: of one token and agent, or where each has
 * its own, of one token under the agent of the older one.
 */
export function bounded(parts: readonly Portion[]): Portion[] {
  const rest = [...parts]
  while (rest.length > mostAway) {
    const [older, newer] = pairIn(rest, (a, b) => a.agent === b.agent) ?? pairIn(rest, () => true) ?? [0, 1]
    const [one, other] = [rest[older], rest[newer]]
    if (one === undefined || other === undefined) break
    rest[older] = { ...one, quantity: one.quantity + other.quantity, costUsd: one.costUsd + other.costUsd }
    rest.splice(newer, 1)
  }
  return rest
}

/** The places of the oldest part that matches a later one of its token, and of that one. */
function pairIn(parts: readonly Portion[], matches: (a: Portion, b: Portion) => boolean): [number, number] | null {
  for (const [older, one] of parts.entries()) {
    const newer = parts.findIndex(
      (other, index) => index > older && sameAddress(one.token, other.token) && matches(one, other),
    )
    if (newer > 0) return [older, newer]
  }
  return null
}
