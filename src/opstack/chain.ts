import type { Hex } from 'viem'

/** A chain as the bridge reads it: by JSON-RPC methods. */
export type BridgeChain = {
  read: (method: string, params: readonly unknown[]) => Promise<unknown>
  /** The transactions that were read for one question, where it asks for some again. */
  transactions?: Map<Hex, Promise<unknown>>
}
