/** A chain as the bridge reads it: by JSON-RPC methods. */
export type BridgeChain = { read: (method: string, params: readonly unknown[]) => Promise<unknown> }
