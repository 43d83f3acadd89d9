/** Makes a function that runs what it is given one after another, in the order of the calls. */
export function exclusiveLane(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work, work)
    last = run.catch(() => {})
    return run
  }
}
