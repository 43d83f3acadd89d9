import type { Hex } from './chains.ts'

/** A stop order for trading: everywhere, on a chain, or for a wallet. */
export type Halt = { scope: 'global' | 'chain' | 'wallet'; id: string }

/** What stops trading. Setting and lifting one is in the audit log, as the operator's. */
export interface Halts {
  set(halt: Halt, at: Date): Promise<void>
  clear(halt: Halt): Promise<void>
  /** The first halt that covers the trade, or null. */
  covering(chainId: number, wallet: Hex): Promise<Halt | null>
  list(): Promise<Halt[]>
}
