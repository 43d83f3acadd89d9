type Day = `${number}-${number}-${number}`

/** The announced end of an operation or a field. Days have the form 2026-12-01. */
export type Deprecation = {
  /** The version of the contract that announced it, and the day of its release. */
  since: string
  on: Day
  /** The first day on which it may be removed. */
  sunset?: Day
  /** The replacement: the id of an operation, or the name of a field. */
  use: string
}

/** The `meta` of a deprecated field. */
export function deprecated(deprecation: Deprecation) {
  return { deprecated: true, deprecation }
}

/** Days of the shortest half year. */
const halfYearMs = 181 * 86_400_000

/** The earliest removal of something that is announced on a day. */
export function soonestEnd(on: string): string {
  return new Date(Date.parse(on) + halfYearMs).toISOString().slice(0, 10)
}

/** The first day on which it may be removed; the earliest possible one where none is named. */
export function endDay({ on, sunset }: Deprecation): string {
  return sunset ?? soonestEnd(on)
}

/** The sentence for documents. */
export function deprecationText({ since, sunset, use }: Deprecation): string {
  const end = sunset === undefined ? '' : ` and may be removed from ${sunset} on`
  return `Deprecated since ${since}${end}: use ${use}.`
}

/** Headers of every response of a deprecated operation (RFC 9745 and RFC 8594). */
export function deprecationHeaders({ on, sunset }: Deprecation): Record<string, string> {
  return {
    deprecation: `@${Date.parse(on) / 1_000}`,
    ...(sunset === undefined ? {} : { sunset: new Date(sunset).toUTCString() }),
  }
}
