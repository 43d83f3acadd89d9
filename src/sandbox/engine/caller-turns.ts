/** How callers share engines: those who used much lately wait for the others. */
export type CallerTurns = {
  /** Whether a caller may begin a run while so many engines are free of long runs. */
  mayRun: (name: string, free: number) => boolean
  /** Counts a run; the function that it returns ends it. */
  begin: (name: string) => () => void
  /** Whether a caller leaves one engine to the others. */
  isHeavy: (name: string) => boolean
  /** What a caller used lately, in whole milliseconds of long runs. */
  used: (name: string) => number
}

/** After this time a use counts half. */
const halfLifeMs = 5_000

/** A shorter run counts nothing: where the machine is busy, cheap ones take longer too. */
const longRunMs = 50

/** With more use than this a caller is heavy: it leaves one engine to the others, and runs fewer reads at once. */
const heavyMs = 500
const mostAtOnce = { light: 8, heavy: 2 }

/** The gateway's own reads have no name: they wait for no turn. */
const ourselves = ''

/** Callers to remember before those without a use are forgotten. */
const mostRemembered = 1_000

type Use = { running: number; milliseconds: number; at: number }

export function callerTurns(now: () => number = () => performance.now()): CallerTurns {
  const callers = new Map<string, Use>()

  function used(name: string): number {
    const use = callers.get(name)
    return use === undefined ? 0 : Math.round(use.milliseconds * 0.5 ** ((now() - use.at) / halfLifeMs))
  }

  const isHeavy = (name: string) => name !== ourselves && used(name) > heavyMs

  function forgetIdle(): void {
    if (callers.size <= mostRemembered) return
    for (const [name, { running }] of callers) if (running === 0 && used(name) === 0) callers.delete(name)
  }

  return {
    isHeavy,
    used,
    mayRun(name, free) {
      if (name === ourselves) return true
      const running = callers.get(name)?.running ?? 0
      return isHeavy(name) ? free > 1 && running < mostAtOnce.heavy : running < mostAtOnce.light
    },
    begin(name) {
      forgetIdle()
      const begun = now()
      const use = callers.get(name) ?? { running: 0, milliseconds: 0, at: begun }
      use.running += 1
      callers.set(name, use)
      return () => {
        const ended = now()
        const milliseconds = ended - begun
        Object.assign(use, { milliseconds: used(name) + (milliseconds > longRunMs ? milliseconds : 0), at: ended })
        use.running -= 1
      }
    },
  }
}
