/** One call by method and positional parameters; failures are DomainError. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Answers one method by asking the engine in whatever way it answers rightly. */
export type Mend = (ask: Ask, params: readonly unknown[], method: string) => Promise<unknown>
