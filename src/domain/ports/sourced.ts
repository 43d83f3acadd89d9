/** A value of a provider, with the provider's name, the age of the value and the duration of the request. */
export type Sourced<T> = { value: T; source: string; ageMs: number; latencyMs: number }
