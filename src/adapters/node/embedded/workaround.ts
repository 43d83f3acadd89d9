/** Calls the engine (anvil) by method and positional parameters. Failures are DomainError. */
export type Call = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Serves one method that the engine gets wrong, by calls of the engine that it gets right. */
export type Workaround = (call: Call, params: readonly unknown[], method: string) => Promise<unknown>
