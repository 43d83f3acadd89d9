import { RpcError } from '../kit/rpc-error.ts'

/** A read that waits: of whom, whether it could run now, and for how long it may wait. */
type Waiter = {
  name: string
  canRun: () => boolean
  milliseconds: number
  signal: AbortSignal | undefined
}

type Waiting = Pick<Waiter, 'name' | 'canRun'> & { go: (refusal?: RpcError) => void }

/**
 * Those who wait for a fork: who used the least comes first. Where the line is full, the newest of those who wait most often
 * is refused.
 */
export function waitingLine(most: number, used: (name: string) => number) {
  const waiting: Waiting[] = []

  function refuseOne(): void {
    const places = Map.groupBy(waiting, ({ name }) => name)
    const [longest = []] = [...places.values()].toSorted((one, other) => other.length - one.length)
    longest.at(-1)?.go(tooMany())
  }

  return {
    /** Lets the first of those who can run now try again. */
    next: () => {
      waiting
        .filter(({ canRun }) => canRun())
        .toSorted((one, other) => used(one.name) - used(other.name))[0]
        ?.go()
    },
    /** Lets all try again. */
    all: () => {
      for (const { go } of waiting.splice(0)) go()
    },
    /** Settles with the reader's turn, or once its signal aborts. Throws after the time, or where the line is full. */
    wait: ({ name, canRun, milliseconds, signal }: Waiter) =>
      new Promise<void>((resolve, reject) => {
        const one: Waiting = {
          name,
          canRun,
          go: (refusal) => {
            clearTimeout(timer)
            signal?.removeEventListener('abort', left)
            const at = waiting.indexOf(one)
            if (at >= 0) waiting.splice(at, 1)
            if (refusal === undefined) resolve()
            else reject(refusal)
          },
        }
        const left = () => one.go()
        const timer = setTimeout(() => one.go(tooMany()), Math.max(0, milliseconds))
        signal?.addEventListener('abort', left)
        waiting.push(one)
        if (waiting.length > most) refuseOne()
      }),
  }
}

function tooMany(): RpcError {
  return new RpcError(-32002, 'too many reads that run code are waiting: try again in a moment', { retryable: true })
}
