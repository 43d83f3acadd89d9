/** Time, so that tests control it. */
export interface Clock {
  now(): Date
}

/** Identifiers, so that tests control them. */
export interface Ids {
  /** A random UUID (version 4). */
  uuid(): string
}

/** Digests, so that the domain can tell whether two requests are the same. */
export interface Hashing {
  /** SHA-256 of the text as UTF-8, in 64 hex digits. */
  sha256(text: string): string
}
