/** When the newest block is read next, so that a regular chain is read about once a block. */
export type PollTimes = {
  /** Notes the newest block that was just read: its number and its time in seconds. */
  saw(number: bigint, timestamp: number): void
  /** How long to wait before the next read, in milliseconds. */
  nextMs(): number
  /** Notes that the newest block is known as it was at a time of `now`. */
  knew(at: number): void
  /** Whether the newest block was read a moment ago, or is known until the next one of a regular chain is due. */
  isRecent(): boolean
}

type Sources = {
  /** Whether the upstream reports each block just now. */
  reports: () => boolean
  /** Milliseconds since any time. */
  now: () => number
}

/** How often the newest block is read all the same where the upstream reports each. */
const lostReportMs = 15_000
/** For how many milliseconds a block that was read counts as recent. One operation reads the head several times. */
const recentMs = 100
/** The newest block of a regular chain with intervals of so many milliseconds is known until the next one is due. */
const knownFromMs = 2_000
/** How many of the last intervals decide, and how many of them must be alike. */
const [remembered, alike] = [8, 6]
/** A longer interval is not waited for whole: an extra block would be told too late. */
const longestMs = 15_000
/** Every so many blocks the read comes earlier by this share of the interval, to see whether blocks come earlier too. */
const [probesEvery, probesBy] = [8, 0.25]

/**
 * Creates the times of a chain. Blocks that come at equal intervals are read when the next one is due, and where it is late
 * every quarter of the interval; other chains are read every `pollMs`. While the upstream reports each block, only a report
 * that was lost is read for.
 */
export function createPollTimes(pollMs: number, sources: Partial<Sources> = {}): PollTimes {
  const { reports = () => false, now = () => performance.now() } = sources
  const intervals: number[] = []
  let newest: { number: bigint; timestamp: number; at: number } | null = null
  let seen = 0
  let knownAt = -Infinity

  /** The interval of a regular chain in milliseconds, else null. */
  function interval(): number | null {
    const median = intervals.toSorted((a, b) => a - b)[intervals.length >> 1]
    if (median === undefined || median <= 0 || intervals.length < remembered) return null
    return intervals.filter((one) => one === median).length >= alike ? median * 1_000 : null
  }

  return {
    saw(number, timestamp) {
      if (newest !== null && number <= newest.number) return
      if (newest !== null) intervals.push((timestamp - newest.timestamp) / Number(number - newest.number))
      if (intervals.length > remembered) intervals.shift()
      newest = { number, timestamp, at: now() }
      seen += 1
    },
    knew(at) {
      knownAt = at
    },
    isRecent() {
      const every = interval()
      const isEarly =
        every !== null && every >= knownFromMs && newest !== null && now() - newest.at < every * (1 - probesBy)
      return !reports() && (isEarly || now() - knownAt < recentMs)
    },
    nextMs() {
      if (reports()) return Math.max(pollMs, lostReportMs)
      const every = interval()
      if (every === null || newest === null || every <= pollMs) return pollMs
      const passed = now() - newest.at
      if (passed > 2 * every) return pollMs // it is late: it may be regular no more
      const due = every * (seen % probesEvery === 0 ? 1 - probesBy : 1) - passed
      return due > 0 ? Math.min(due, longestMs) : Math.min(every / 4, pollMs)
    },
  }
}
