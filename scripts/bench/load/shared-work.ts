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
