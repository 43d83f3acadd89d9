import { LRUCache } from 'lru-cache'
import type { RateRule } from '../../contract/shared/limits.ts'
import type { Limiter, Taken } from '../../domain/ports/limiter.ts'
import { fullOf, takenOfBucket } from './counts.ts'

/**
 * What this process knows of a shared bucket: units left when it last heard, what it used since, and how much of that it has
 * said without an answer yet.
 */
type View = { left: number; heardAt: number; owed: number; said: number }

/** A part of a full bucket that a process may use before it says so, and the part below which it asks each time. */
const [unsaid, scarce] = [1 / 40, 1 / 5]
/**
 * Milliseconds after which what was heard is no longer known, so that the next request asks, and between two reports of what
 * is owed.
 */
const [knownMs, reportMs] = [1_000, 250]
const mostKeys = 100_000

/**
 * Counts the named rules in shares: while much is left of a bucket, a process uses a small part of it at once and reports
 * later, so that most requests wait for no exchange. Near the end of a bucket each request asks. What was used is always
 * reported, so that only a burst may pass the rule, by the unsaid part of each process. Small buckets have no such part.
 */
export function createLocalShareLimiter(shared: Limiter, names: ReadonlySet<string>): Limiter {
  const views = new LRUCache<string, View>({ max: mostKeys })
  const owing = new Map<View, () => Promise<unknown>>()
  let isDue = false

  function report(): void {
    isDue = false
    const due = [...owing.values()]
    owing.clear()
    for (const send of due) send().catch(() => undefined) // without Redis other limits hold
  }

  function viewOf(ruleName: string, key: string): View {
    const id = `${ruleName} ${key}`
    // One that is new has heard nothing: the bucket may be in debt.
    const view = views.get(id) ?? { left: 0, heardAt: Number.NEGATIVE_INFINITY, owed: 0, said: 0 }
    views.set(id, view)
    return view
  }

  /** Uses units without an exchange; null where one is needed. */
  function alone(name: string, rule: RateRule, key: string, now: Date, units: number): Taken | null {
    const view = viewOf(name, key)
    if (performance.now() - view.heardAt > knownMs) return null
    const full = rule.burst ?? rule.limit
    const left = view.left - view.owed - units
    if (view.owed + units > full * unsaid || left < full * scarce) return null
    view.owed += units
    if (view.owed !== 0)
      owing.set(
        view,
        async () => await say(view, async (owed) => await shared.charge(name, rule, key, new Date(), owed)),
      )
    if (!isDue) setTimeout(report, reportMs).unref()
    isDue = true
    const weight = fullOf(rule) / full
    return takenOfBucket(rule, left * weight, true, now.getTime())
  }

  const take: Limiter['take'] = async (name, rule, key, now) => {
    if (rule.burst === undefined || !names.has(name)) return await shared.take(name, rule, key, now)
    const local = alone(name, rule, key, now, 1)
    if (local !== null) return local
    return await say(viewOf(name, key), async (owed) => {
      // Both are sent at once, in this order.
      const charged = owed === 0 ? null : shared.charge(name, rule, key, now, owed)
      const [taken] = await Promise.all([shared.take(name, rule, key, now), charged])
      return taken
    })
  }

  return {
    take,
    async charge(name, rule, key, now, units) {
      if (!names.has(name)) return await shared.charge(name, rule, key, now, units)
      const local = alone(name, rule, key, now, units)
      if (local !== null) return local
      return await say(viewOf(name, key), async (owed) => await shared.charge(name, rule, key, now, owed + units))
    },
    async giveBack(name, rule, key, at) {
      if (rule.burst === undefined || !names.has(name) || alone(name, rule, key, at, -1) === null)
        await shared.giveBack(name, rule, key, at)
    },
  }
}

/** Says what is owed and not said yet, and learns what is left. */
async function say(view: View, send: (owed: number) => Promise<Taken>): Promise<Taken> {
  const unsaidYet = view.owed - view.said
  view.said += unsaidYet
  try {
    const taken = await send(unsaidYet)
    view.left = taken.remaining
    view.heardAt = performance.now()
    return taken
  } finally {
    view.owed -= unsaidYet
    view.said -= unsaidYet
  }
}
