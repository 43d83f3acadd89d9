import { type KindName, readHeads, sharedNow, streamKinds } from './stream-kinds.ts'

/** Several readers of one server, each with its own connection and address. */
export type Readers = { kind: KindName; port: number; count: number }
/**
 * The arrival time of each head at each reader by its hash, on the clock that processes share; and the number of
 * readers that received any.
 */
export type Arrivals = { begun: number; of: Record<string, number[]> }

const openedAtOnce = 50
const arrivals: Arrivals = { begun: 0, of: {} }
let opened = 0
let lost: string | null = null

async function open({ kind, port, count }: Readers): Promise<void> {
  while (opened < count) {
    const more = Math.min(openedAtOnce, count - opened)
    const numbers = Array.from({ length: more }, (_, index) => opened + index)
    await Promise.all(numbers.map((number) => openReader(kind, port, number)))
    opened += more
  }
}

function openReader(kind: KindName, port: number, number: number): Promise<unknown> {
  let heads = 0
  return readHeads({ port, host: '127.0.0.1' }, streamKinds[kind], `10.0.${number >> 8}.${number & 255}`, {
    head(hash) {
      if (heads === 0) arrivals.begun += 1
      heads += 1
      arrivals.of[hash] ??= []
      arrivals.of[hash].push(sharedNow())
    },
    lost(last) {
      lost ??= `Reader ${number} was left: ${last}`
    },
  })
}

/**
 * Runs as a separate process: it opens the requested readers, then responds to 'tell' with what has arrived so far; it
 * ends with its parent.
 */
process.once('disconnect', () => process.exit())
process.on('message', async (asked: Readers | 'tell') => {
  if (asked !== 'tell') await open(asked)
  process.send?.(lost === null ? arrivals : { failed: lost })
})
