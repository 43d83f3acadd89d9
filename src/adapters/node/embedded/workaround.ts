import type { NodeCaller } from '../../../domain/ports/node.ts'

/**
 * Calls the engine (anvil) by method and positional parameters. Failures are DomainError. `by` is for whom; absent, for the
 * gateway itself.
 */
export type Call = {
  (method: string, params: readonly unknown[]): Promise<unknown>
  by?: NodeCaller
}

/** Serves one method that the engine gets wrong, by calls of the engine that it gets right. */
export type Workaround = (call: Call, params: readonly unknown[], method: string) => Promise<unknown>
