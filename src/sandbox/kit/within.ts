import { engineUnavailable } from './rpc-error.ts'

/** The outcome of some work; where it takes longer, throws that the engine does not answer now, or what `late` makes. */
export async function within<T>(milliseconds: number, work: Promise<T>, late = engineUnavailable): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds)
  })
  try {
    return await Promise.race([work, end])
  } finally {
    clearTimeout(timer)
  }
}
