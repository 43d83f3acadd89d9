/** Most rows that work in the background reads at once. */
const pageSize = 500

/** All that a store has, a page at a time. `read` answers at most `limit` from after the last one of the page before. */
export async function* inPages<T>(read: (last: T | null, limit: number) => Promise<readonly T[]>): AsyncGenerator<T> {
  let last: T | null = null
  while (true) {
    const page: readonly T[] = await read(last, pageSize)
    yield* page
    if (page.length < pageSize) return
    last = page.at(-1) ?? null
  }
}
