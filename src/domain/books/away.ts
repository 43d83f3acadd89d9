import { type Hex, sameAddress } from '../ports/chains.ts'
import type { Portion } from '../ports/ledger.ts'
import { smaller } from './average-cost.ts'

type Amount = { token: Hex; quantity: bigint; valueUsd: bigint }

/** Takes what returns over the bridge from what is away, oldest first; the rest never left, and has its value. */
export function returned(away: readonly Portion[], { token, quantity, valueUsd }: Amount) {
  let missing = quantity
  const taken: Portion[] = []
  const left = away.flatMap((part) => {
    if (missing === 0n || !sameAddress(part.token, token)) return [part]
    const used = smaller(part.quantity, missing)
    const costUsd = used === part.quantity ? part.costUsd : (part.costUsd * used) / part.quantity
    missing -= used
    taken.push({ ...part, quantity: used, costUsd })
    return used === part.quantity ? [] : [{ ...part, quantity: part.quantity - used, costUsd: part.costUsd - costUsd }]
  })
  return { taken, left, lacking: { token, quantity: missing, valueUsd: (valueUsd * missing) / quantity } }
}

/** The most parts that are remembered apart. */
const mostAway = 1_000

/** Joins the oldest parts where there are too many: of one token and agent, at their cost together. */
export function bounded(parts: readonly Portion[]): Portion[] {
  const rest = [...parts]
  while (rest.length > mostAway) {
    const [oldest] = rest
    const next = rest.findIndex(
      (part, index) => index > 0 && part.agent === oldest?.agent && sameAddress(part.token, oldest.token),
    )
    const other = rest[next]
    if (oldest === undefined || other === undefined) break
    const [quantity, costUsd] = [oldest.quantity + other.quantity, oldest.costUsd + other.costUsd]
    rest.splice(next, 1)
    rest[0] = { ...oldest, quantity, costUsd }
  }
  return rest
}
