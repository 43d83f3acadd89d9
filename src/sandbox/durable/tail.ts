/** What the newest snapshot of a chain lacks, in blocks and transactions, and the time that it took to make them. */
export type Tail = { steps: number; milliseconds: number }

/** Counts what is made after a snapshot. `since` is when it was begun, as `performance.now` tells. */
export function countTail(): { soFar: () => Tail; restart: () => void; add: (steps: number, since: number) => void } {
  let tail: Tail = { steps: 0, milliseconds: 0 }
  return {
    soFar: () => tail,
    restart: () => {
      tail = { steps: 0, milliseconds: 0 }
    },
    add: (steps, since) => {
      tail = { steps: tail.steps + steps, milliseconds: tail.milliseconds + performance.now() - since }
    },
  }
}
