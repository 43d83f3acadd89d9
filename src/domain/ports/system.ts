/** Time and timers, so that tests control them. Neither timer keeps the process running. */
export interface Clock {
  now(): Date
  /** Settles after so many milliseconds. */
  wait(milliseconds: number): Promise<void>
  /** A signal that aborts with a TimeoutError after so many milliseconds. */
  limit(milliseconds: number): AbortSignal
  /** Runs the work every so many milliseconds, first after one of these. Returns a function that stops it. */
  every(milliseconds: number, work: () => void): () => void
}

/** Identifiers, so that tests control them. */
export interface Ids {
  /** A random UUID (version 4). */
  uuid(): string
}

/** Digests, so that the domain can compare requests. */
export interface Hashing {
  /** SHA-256 of the text as UTF-8, in 64 hex digits. */
  sha256(text: string): string
}
