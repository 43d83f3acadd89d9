/** The most rows that background work reads at once. */
const pageSize = 500

/** All rows of a store, a page at a time. `read` returns at most `limit` rows after the last one of the previous page. */
export async function* inPages<T>(read: (last: T | null, limit: number) => Promise<readonly T[]>): AsyncGenerator<T> {
  let last: T | null = null
  while (true) {
    const page: readonly T[] = await read(last, pageSize)
    yield* page
    if (page.length < pageSize) return
    last = page.at(-1) ?? null
  }
}
