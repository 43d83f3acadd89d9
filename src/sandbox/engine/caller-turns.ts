/** How callers share engines: those who used much lately wait for the others. */
export type CallerTurns = {
  /**
   * Whether a caller may begin a run: `free` engines are without long runs, and it `spreads` where it has runs on another
   * engine already. The last free engine is for those who have none.
   */
  mayRun: (name: string, engines: { free: number; spreads: boolean }) => boolean
  /** Counts a run; the function that it returns ends it. */
  begin: (name: string) => () => void
  /** Whether a caller leaves one engine to the others. */
  isHeavy: (name: string) => boolean
  /** What a caller used lately, in whole milliseconds of long runs, those that go on included. */
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

/** The times at which the runs of a caller began that go on, and what earlier ones took, as it counted at a time. */
type Use = { begun: number[]; milliseconds: number; at: number }

export function callerTurns(now: () => number = () => performance.now()): CallerTurns {
  const callers = new Map<string, Use>()

  const counted = (milliseconds: number) => (milliseconds > longRunMs ? milliseconds : 0)
  const earlier = ({ milliseconds, at }: Use) => milliseconds * 0.5 ** ((now() - at) / halfLifeMs)

  function used(name: string): number {
    const use = callers.get(name)
    if (use === undefined || name === ourselves) return 0
    return Math.round(use.begun.reduce((sum, begun) => sum + counted(now() - begun), earlier(use)))
  }

  const isHeavy = (name: string) => used(name) > heavyMs

  function forgetIdle(): void {
    if (callers.size <= mostRemembered) return
    for (const [name, { begun }] of callers) if (begun.length === 0 && used(name) === 0) callers.delete(name)
  }

  return {
    isHeavy,
    used,
    mayRun(name, { free, spreads }) {
      if (name === ourselves) return true
      const running = callers.get(name)?.begun.length ?? 0
      const heavy = isHeavy(name)
      return running < (heavy ? mostAtOnce.heavy : mostAtOnce.light) && (free > 1 || !(heavy || spreads))
    },
    begin(name) {
      forgetIdle()
      const begun = now()
      const use = callers.get(name) ?? { begun: [], milliseconds: 0, at: begun }
      use.begun.push(begun)
      callers.set(name, use)
      return () => {
        const ended = now()
        Object.assign(use, { milliseconds: earlier(use) + counted(ended - begun), at: ended })
        use.begun.splice(use.begun.indexOf(begun), 1)
      }
    },
  }
}
