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
