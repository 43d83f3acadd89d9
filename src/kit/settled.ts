/** The values of all of them once every one has ended, so that none goes on unseen. Throws the first failure. */
export async function settled<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works)
  return await Promise.all(works)
}
