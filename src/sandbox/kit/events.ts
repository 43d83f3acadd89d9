/** An event of a sandbox chain for its operator. Every field is safe to log. */
export type ChainEvent =
  | { type: 'engine-started'; pid: number; milliseconds: number }
  | { type: 'engine-exited'; pid: number; status: number | null }
  | { type: 'engine-orphan-ended'; pid: number }
  | {
      type: 'chain-restored'
      snapshot: number | null
      blocks: number
      transactions: number
      pending: number
      milliseconds: number
    }
  | { type: 'restore-failed'; error: Error }
  | {
      type: 'engine-replaced'
      block: number
      /** The first block whose state is available. */
      stateFrom: number
      milliseconds: number
      /** How long no block could be produced meanwhile. */
      pausedMilliseconds: number
    }
  | { type: 'engine-replacement-failed'; error: Error }
  /** From now on no transaction is accepted and no block is published, until the disk has recovered. */
  | { type: 'disk-failed'; error: Error }
  | { type: 'disk-recovered' }
  | { type: 'log-torn-line-dropped'; file: string; bytes: number }
  | { type: 'snapshot-written'; block: number; bytes: number; milliseconds: number }
  | { type: 'snapshot-failed'; error: Error }
  | { type: 'snapshot-unusable'; block: number; error: Error }
  | { type: 'contracts-deployed'; block: number; milliseconds: number }
  | { type: 'block-production-failed'; error: Error }
  | { type: 'listener-failed'; error: Error }
  | { type: 'transaction-dropped'; hash: string; reason: string }
  | { type: 'deposit-refused'; hash: string }
  | { type: 'derivation-failed'; error: Error }
  | { type: 'output-proposed'; block: number; hash: string }
  | { type: 'proposer-failed'; error: Error }
  | { type: 'keeper-acted'; action: 'feed-refreshed' | 'pool-corrected'; subject: string; hash: string }
  /** The sandbox of another process does not respond, responds again, or is another one than before. */
  | { type: 'sandbox-lost' }
  | { type: 'sandbox-back' }
  | { type: 'sandbox-replaced'; error: Error }
  | { type: 'keeper-failed'; subject: string; error: Error }

/** An event with the name of its chain. */
export type SandboxEvent = ChainEvent & { chain: 'rollup' | 'parent' }

export type Emit = (event: ChainEvent) => void

/** A thrown value as an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
