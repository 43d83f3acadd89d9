import { RpcError } from '../kit/rpc-error.ts'
import type { CallerTurns } from './caller-turns.ts'

type Waiting = { name: string; go: (refusal?: RpcError) => void }

/** Those who wait for a fork: who used the least comes first, and where the line is full, who used the most is refused. */
export function waitingLine(most: number, { used, mayRun }: Pick<CallerTurns, 'used' | 'mayRun'>) {
  const waiting: Waiting[] = []
  return {
    /** Lets the first of those who may run while so many forks are free try again. */
    next: (free: number) => {
      const ready = waiting.filter(({ name }) => mayRun(name, free))
      ready.toSorted((one, other) => used(one.name) - used(other.name))[0]?.go()
    },
    /** Lets all try again. */
    all: () => {
      for (const { go } of waiting.splice(0)) go()
    },
    /** Settles with the caller's turn, or once the signal aborts. Throws after the time, or where others have used less. */
    wait: (name: string, milliseconds: number, signal: AbortSignal | undefined) =>
      new Promise<void>((resolve, reject) => {
        const one: Waiting = {
          name,
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
        if (waiting.length <= most) return
        waiting
          .toSorted((one, other) => used(one.name) - used(other.name))
          .at(-1)
          ?.go(tooMany())
      }),
  }
}

function tooMany(): RpcError {
  return new RpcError(-32002, 'too many reads that run code are waiting: try again in a moment', { retryable: true })
}
