import type { Seen } from '../outcomes.ts'

/** What a fault may bring about, told before it is injected: these codes of these operations, and no other error. */
export type Effects = {
  fault: string
  may: readonly { operations: RegExp; codes: readonly string[] }[]
  /** How long after the fault its effects may be seen. */
  aftermathMs: number
}

export type Windows = {
  /** Works while the effects are awaited; the fault is counted. */
  during(effects: Effects, work: () => Promise<void>): Promise<void>
  /** The fault that an error may come from: it was at work at some time between the request and its answer. */
  causeOf(seen: Seen): string | null
  /** How often each fault was injected. */
  counts(): ReadonlyMap<string, number>
}

export function createWindows(): Windows {
  const windows: (Effects & { from: number; to: number })[] = []
  const counts = new Map<string, number>()
  return {
    async during(effects, work) {
      const window = { ...effects, from: performance.now(), to: Number.POSITIVE_INFINITY }
      windows.push(window)
      counts.set(effects.fault, (counts.get(effects.fault) ?? 0) + 1)
      await work().finally(() => {
        window.to = performance.now() + effects.aftermathMs
      })
    },
    causeOf({ operation, code, since }) {
      const found = windows.findLast(
        ({ to, may }) => to >= since && may.some((one) => one.codes.includes(code) && one.operations.test(operation)),
      )
      return found?.fault ?? null
    },
    counts: () => counts,
  }
}
