import { createHash } from 'node:crypto'

/**
 * Runs each way once per round, in a different order each round, so that a slow phase of the machine affects all of
 * them, and none always follows the same other one. A first round warms up, and is marked as such. Returns the results
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

/**
 * Shuffled, the same in every run. Each second round reverses the previous one, so that of two ways each is first as
 * often.
 */
function orderOf<Way>(ways: readonly Way[], round: number): Way[] {
  const place = (way: Way) =>
    createHash('sha256')
      .update(`${round >> 1} ${ways.indexOf(way)}`)
      .digest('hex')
  const shuffled = ways.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
  return round % 2 === 0 ? shuffled : shuffled.toReversed()
}

/** The timeout and the poll interval of the benchmarks; the interval bounds the error of what is timed. */
export const waitMs = 60_000
export const pollMs = 5

/** Runs something `count` times with several concurrent workers; each run receives its number. */
export async function shareWork(
  times: number,
  workers: number,
  act: (worker: number) => Promise<unknown>,
): Promise<void> {
  let begun = 0
  const work = async (_: unknown, worker: number) => {
    while (begun++ < times) await act(worker)
  }
  await Promise.all(Array.from({ length: workers }, work))
}

/** How long something took, in milliseconds. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await act()
  return performance.now() - begun
}
