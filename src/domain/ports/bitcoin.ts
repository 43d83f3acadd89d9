import type { Sourced } from './providers.ts'

/** The networks of Bitcoin. The last three share some address formats. */
export const bitcoinNetworks = ['mainnet', 'testnet', 'signet', 'regtest'] as const
export type BitcoinNetwork = (typeof bitcoinNetworks)[number]

type BitcoinInput = {
  txid: string
  vout: number
  scriptSig: string
  scriptSigAsm: string
  witness: readonly string[]
  isCoinbase: boolean
  sequence: number
}

/** `kind` is Esplora's name of the script; `address` is null where the script has none. */
export type BitcoinOutput = { script: string; scriptAsm: string; kind: string; address: string | null; value: number }

/** A decoded transaction; amounts in satoshi, hashes as they are displayed. */
export type BitcoinTransaction = {
  txid: string
  /** Hash with the witness; the same as `txid` where there is none. */
  wtxid: string
  version: number
  locktime: number
  size: number
  weight: number
  inputs: readonly BitcoinInput[]
  outputs: readonly BitcoinOutput[]
}

/** A parsed address, or why the text is not an address. `networks` lists all networks on which it is valid. */
export type BitcoinAddress =
  | { valid: true; networks: readonly BitcoinNetwork[]; kind: string; script: string }
  | { valid: false; reason: string }

/** Decodes transactions and addresses without a provider. */
export type BitcoinCodec = {
  /** INVALID_ARGUMENT names `raw_tx` where the hex is not a transaction, or has too many parts. */
  decode(hex: string, network: BitcoinNetwork): BitcoinTransaction
  describeAddress(text: string): BitcoinAddress
}

/** A block as a provider returns it; times in seconds since 1970. */
type BitcoinBlock = {
  hash: string
  height: number
  version: number
  timestamp: number
  medianTime: number
  transactions: number
  size: number
  weight: number
  merkleRoot: string
  /** Null for the first block. */
  previousHash: string | null
  nonce: number
  bits: number
  difficulty: number
}

/** The fee for a transaction to be mined within a number of blocks, in satoshi per virtual byte. */
export type BitcoinFee = { blocks: number; satPerVbyte: number }

/** Checked data with Esplora's field names; amounts in satoshi. */
export type BitcoinFacts = Record<string, unknown>

/**
 * The chain as a provider returns it. NOT_FOUND where the provider does not have the block or transaction,
 * INVALID_ARGUMENT where an address belongs to another network. Hashes are in lower case.
 */
export interface BitcoinChain {
  /** The newest block. UNAVAILABLE and DEADLINE_EXCEEDED where the provider fails. */
  latestBlock(signal: AbortSignal): Promise<Sourced<BitcoinBlock>>
  /** The fee estimates by number of blocks, ascending. */
  fees(signal: AbortSignal): Promise<Sourced<readonly BitcoinFee[]>>
  /** Height and hash of the newest block. */
  tip(signal: AbortSignal): Promise<Sourced<BitcoinFacts>>
  blockHash(height: number, signal: AbortSignal): Promise<Sourced<string>>
  block(hash: string, signal: AbortSignal): Promise<Sourced<BitcoinFacts>>
  /** In hex. */
  header(hash: string, signal: AbortSignal): Promise<Sourced<string>>
  blockTransactions(hash: string, signal: AbortSignal): Promise<Sourced<readonly string[]>>
  /** Blocks from a height downwards, or from the newest block where it is null. */
  blocks(from: number | null, signal: AbortSignal): Promise<Sourced<readonly BitcoinFacts[]>>
  transaction(txid: string, signal: AbortSignal): Promise<Sourced<BitcoinFacts>>
  transactionStatus(txid: string, signal: AbortSignal): Promise<Sourced<BitcoinFacts>>
  transactionHex(txid: string, signal: AbortSignal): Promise<Sourced<string>>
  outspends(txid: string, signal: AbortSignal): Promise<Sourced<readonly BitcoinFacts[]>>
  address(address: string, signal: AbortSignal): Promise<Sourced<BitcoinFacts>>
  utxos(address: string, signal: AbortSignal): Promise<Sourced<readonly BitcoinFacts[]>>
  /** Transactions, newest first; those older than the confirmed transaction `after` where one is given. */
  addressTransactions(
    address: string,
    after: string | null,
    signal: AbortSignal,
  ): Promise<Sourced<readonly BitcoinFacts[]>>
  mempool(signal: AbortSignal): Promise<Sourced<BitcoinFacts>>
}
