/** Calls a node by method and parameters. Throws DomainError. */
export type CallNode = (method: string, ...params: unknown[]) => Promise<unknown>
