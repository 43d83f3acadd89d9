type Day = `${number}-${number}-${number}`

/** The announced end of an operation or a field. Days are such as 2026-12-01. */
export type Deprecation = {
  /** The version of the contract that announced it, and the day of its release. */
  since: string
  on: Day
  /** The day from which on it may be gone. */
  sunset?: Day
  /** What does its work: the id of an operation, or the name of a field. */
  use: string
}

/** What `meta` takes for a field that comes to its end. */
export function deprecated(deprecation: Deprecation) {
  return { deprecated: true, deprecation }
}

/** The shortest half of a year. */
const halfYearMs = 181 * 86_400_000

/** The soonest day on which may be gone what is announced on a day. */
export function soonestEnd(on: string): string {
  return new Date(Date.parse(on) + halfYearMs).toISOString().slice(0, 10)
}

/** The first day on which it may be gone: where none is named, the soonest. */
export function endDay({ on, sunset }: Deprecation): string {
  return sunset ?? soonestEnd(on)
}

/** What every document says of it. */
export function deprecationText({ since, sunset, use }: Deprecation): string {
  const end = sunset === undefined ? '' : ` and may be gone from ${sunset} on`
  return `Deprecated since ${since}${end}: use ${use}.`
}

/** What every answer of a deprecated operation carries (RFC 9745 and RFC 8594). */
export function deprecationHeaders({ on, sunset }: Deprecation): Record<string, string> {
  return {
    deprecation: `@${Date.parse(on) / 1_000}`,
    ...(sunset === undefined ? {} : { sunset: new Date(sunset).toUTCString() }),
  }
}
