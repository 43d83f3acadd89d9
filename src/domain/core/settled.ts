import { RepeatLater } from './errors.ts'

/**
 * The values of all of them once every one has ended, so that none goes on unseen. Throws the first failure, and
 * `RepeatLater` only where there is no other.
 */
export async function settled<T>(works: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(works)
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  if (failures.length > 0) throw failures.find((failure) => !(failure instanceof RepeatLater)) ?? failures[0]
  return await Promise.all(works)
}
