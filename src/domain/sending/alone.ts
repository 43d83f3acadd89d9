import type { Workers } from '../ports/outbox.ts'

/** The workers of a database that no other process uses. */
export const alone: Workers = {
  watches: async () => true,
  asWatcher: async (_, work) => await work(),
  asHolder: async (_chainId, _from, work) => await work(),
  isManned: async () => true,
  wake: () => undefined,
  onWake: () => () => undefined,
}
