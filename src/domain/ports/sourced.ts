/** What a provider answered, with who it was, the answer's age and how long asking took. */
export type Sourced<T> = { value: T; source: string; ageMs: number; latencyMs: number }
