/**
 * Runs each way once a round, each round in another order, so that a machine that is slow for a while is slow for all
 * of them. A first round more warms up, and is told so. Answers the results of each way by round.
 */
export async function inTurns<Way, Result>(
  ways: readonly Way[],
  rounds: number,
  run: (way: Way, warmsUp: boolean) => Promise<Result>,
): Promise<Map<Way, Result[]>> {
  const results = new Map(ways.map((way) => [way, [] as Result[]]))
  for (let round = -1; round < rounds; round += 1) {
    for (const index of ways.keys()) {
      const way = ways[(index + round + 1) % ways.length] as Way
      const result = await run(way, round < 0)
      if (round >= 0) results.get(way)?.push(result)
    }
  }
  return results
}
