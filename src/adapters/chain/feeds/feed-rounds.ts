import type { Hex } from '../../../domain/ports/chains.ts'
import type { Connection } from '../reads/connection.ts'
import { readAll } from '../reads/multicall.ts'
import { feedViews } from '../reads/views.ts'

/** A round of a feed: its id, its answer, when it began and was updated, and the round that computed the answer. */
export type Round = readonly [bigint, bigint, bigint, bigint, bigint]

/** Rounds that the search goes back at most, doubling its step. */
const mostBack = 2n ** 20n
/** The most rounds in one call. */
const mostTogether = 64n
/** A proxy's round ids have the phase above these bits, and count the rounds of its phase in them. */
const roundMask = 2n ** 64n - 1n

/**
 * The round of a feed that was in force at a moment, in seconds, found from its latest one in one to five calls. Phases are
 * not crossed: before the oldest round of the phase it is that one. The latest one where so many rounds back none is
 * old enough, or the feed keeps no earlier ones.
 */
export async function roundAt(connection: Connection, feed: Hex, latest: Round, time: bigint): Promise<Round> {
  const [latestId] = latest
  const first = (latestId & roundMask) - 1n // so many steps back is the oldest round of the phase
  const read = async (steps: readonly bigint[]) => {
    const rounds: readonly (Round | null)[] = await readAll(
      connection,
      steps.map((step) => feedViews.getRoundData(feed, latestId - step)),
    )
    return steps.map((step, index) => ({ step, round: rounds[index] ?? null }))
  }
  const isOld = ({ round }: { round: Round | null }) => round !== null && round[3] > 0n && round[3] <= time
  if (first <= 0n) return latest
  let asked = await read(doubling(first < mostBack ? first : mostBack))
  let place = asked.findIndex(isOld)
  if (place < 0) return (first <= mostBack ? asked.at(-1)?.round : null) ?? latest
  while (true) {
    const found = asked[place]
    if (found === undefined || found.round === null) return latest
    const after = asked[place - 1]?.step ?? 0n
    const between = spread(after, found.step)
    if (between.length === 0) return found.round
    asked = [{ step: after, round: null }, ...(await read(between)), found]
    place = asked.findIndex(isOld)
  }
}

/** 1, 2, 4 and so on, and the last step. */
function doubling(last: bigint): bigint[] {
  const steps: bigint[] = []
  for (let step = 1n; step < last; step *= 2n) steps.push(step)
  return [...steps, last]
}

/** Steps between two, neither included: all of them, or as many as one call takes. */
function spread(after: bigint, before: bigint): bigint[] {
  const width = (before - after + mostTogether - 1n) / mostTogether
  const steps: bigint[] = []
  for (let step = after + width; step < before; step += width) steps.push(step)
  return steps
}
