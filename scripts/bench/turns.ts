import { createHash } from 'node:crypto'

/**
 * Runs each way once a round, each round in another order, so that a machine that is slow for a while is slow for all
 * of them, and none always comes after the same other. A first round more warms up, and is told so. Answers the results
 * of each way by round.
 */
export async function inTurns<Way, Result>(
  ways: readonly Way[],
  rounds: number,
  run: (way: Way, warmsUp: boolean) => Promise<Result>,
): Promise<Map<Way, Result[]>> {
  const results = new Map(ways.map((way) => [way, [] as Result[]]))
  for (let round = -1; round < rounds; round += 1) {
    for (const way of orderOf(ways, round)) {
      const result = await run(way, round < 0)
      if (round >= 0) results.get(way)?.push(result)
    }
  }
  return results
}

/** Shuffled, and alike in every run; each second round turns the one before about, so that of two each is first as often. */
function orderOf<Way>(ways: readonly Way[], round: number): Way[] {
  const place = (way: Way) =>
    createHash('sha256')
      .update(`${round >> 1} ${ways.indexOf(way)}`)
      .digest('hex')
  const shuffled = ways.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
  return round % 2 === 0 ? shuffled : shuffled.toReversed()
}
