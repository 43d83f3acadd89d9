import type { Seen } from '../outcomes.ts'
import type { Numbers, SoakWorld } from '../world.ts'

/** Codes that operations may return during a fault, and for so long after it. */
type Effect = { operations: RegExp; codes: readonly string[]; aftermathMs: number }

/** The errors that a fault may cause, declared before it is injected. No other error is accepted. */
export type Effects = { fault: string; may: readonly Effect[] }

export type Windows = {
  /** Runs the work while its effects are expected, and counts the fault. */
  during(effects: Effects, work: () => Promise<void>): Promise<void>
  /** The fault that can explain an error: it was active at some time between the request and its response. */
  causeOf(seen: Seen): string | null
  /** How often each fault was injected. */
  counts(): ReadonlyMap<string, number>
}

/** Records when faults were injected; `now` returns milliseconds. */
export function createWindows(now = () => performance.now()): Windows {
  const windows: (Effects & { from: number; to: number })[] = []
  const counts = new Map<string, number>()
  return {
    async during(effects, work) {
      const window = { ...effects, from: now(), to: Number.POSITIVE_INFINITY }
      windows.push(window)
      counts.set(effects.fault, (counts.get(effects.fault) ?? 0) + 1)
      await work().finally(() => {
        window.to = now()
      })
    },
    causeOf({ operation, code, since }) {
      const explains = ({ operations, codes }: Effect) => codes.includes(code) && operations.test(operation)
      const found = windows.findLast(({ to, may }) =>
        may.some((effect) => to + effect.aftermathMs >= since && explains(effect)),
      )
      return found?.fault ?? null
    },
    counts: () => counts,
  }
}

/** An injected fault; it ends once everything has recovered or, for a permanent one, with the soak. */
export type Fault = (injection: { world: SoakWorld; windows: Windows; numbers: Numbers }) => Promise<void>
