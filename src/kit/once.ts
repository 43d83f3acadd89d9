/** Returns a function that reads until it has a result, and then returns that one. Calls at the same time share a read. */
export function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return async () => {
    result ??= read().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return await result
  }
}
