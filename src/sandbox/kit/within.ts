import { engineUnavailable } from './rpc-error.ts'

/** Waits for work. Throws the error of `late` where it takes longer; the work itself goes on. */
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
