/**
 * Why a node refused a transaction. `final` is false where the text proves nothing about the transaction: the node may
 * be broken or full, or have it already.
 */
type Refusal = { kind: RefusalKind; final: boolean; say: string }

type RefusalKind = (typeof table)[number]['kind'] | 'other'

/** The error texts of anvil, geth, reth, nethermind, erigon and besu, old and new; the first matching row counts. */
const table = [
  {
    kind: 'known',
    final: false,
    pattern:
      /already (known|imported|in (the )?(mem)?pool|exists)|alreadyknown|known transaction|same hash|^(internal_error: )?mined$/im,
    say: 'It has it already.',
  },
  {
    kind: 'pool_full',
    final: false,
    pattern:
      /(tx|transaction) ?pool is full|sub-?pool is full|pool.*full|overflow(ed)? *(the )?pool|txpool.*(overflow|limit)|spammer|account limit exceeded|in-flight transaction limit|(address|authority) already reserved|type conflict|future transaction tries/i,
    say: 'The node takes no more transactions just now; try again.',
  },
  {
    kind: 'not_ready',
    final: false,
    pattern: /node is syncing|not (yet )?synced|still syncing/i,
    say: 'The node is not up to date; try again.',
  },
  {
    kind: 'nonce_too_low',
    final: true,
    pattern: /nonce (is )?too low|oldnonce|invalid nonce.*already|nonce has already been used|below current nonce/i,
    say: 'Its nonce was used already; take the next one.',
  },
  {
    kind: 'nonce_too_high',
    final: true,
    pattern: /nonce (is )?too (high|far)|noncegap|nonce gap|noncetoofarinfuture/i,
    say: 'Its nonce leaves a gap; take the next one.',
  },
  {
    kind: 'insufficient_funds',
    final: true,
    pattern: /insufficient funds.*queued cost/i,
    say: 'Its waiting transactions count too, also those behind a gap in the nonces; replace one by a cheaper one, or wait.',
  },
  {
    kind: 'insufficient_funds',
    final: true,
    pattern:
      /insufficient ?funds|doesn't have enough funds|insufficient (sender )?balance|upfront cost exceeds|would exceed balance/i,
    say: 'The account cannot pay for the gas and the value; give it more of the native currency.',
  },
  {
    kind: 'replacement_underpriced',
    final: true,
    pattern:
      /replacement transaction underpriced|could not replace existing|replacementnotallowed|replaced by transaction/i,
    say: 'Another transaction waits with that nonce; raise both fees by a tenth to replace it. A gas price counts as both.',
  },
  {
    kind: 'fee_below_base_fee',
    final: true,
    pattern:
      /(less|lower) than (the )?(block|current block|current)? ?base ?fee|fee cap less than|below (the |current )?(block )?base ?fee/i,
    say: 'It offers less than the base fee of the block; read the fees again.',
  },
  {
    kind: 'underpriced',
    final: true,
    pattern: /underpriced|gas price (is )?too low|gas price below|feetoolow|fee too low|tip.*(too low|minimum)/i,
    say: 'It offers too little for its gas; read the fees again.',
  },
  {
    kind: 'gas_too_high',
    final: true,
    pattern:
      /intrinsic gas too high|exceeds (block|transaction|max).*gas|gas limit (reached|exceeded|too high)|gaslimitexceeded|exceeds_block_gas/i,
    say: 'Its gas limit is above what a block leaves for it.',
  },
  {
    kind: 'gas_too_low',
    final: true,
    pattern: /intrinsic ?gas|gas too low|gaslimittoolow|gas floor/i,
    say: 'Its gas limit is below what any such transaction needs.',
  },
  {
    kind: 'wrong_chain',
    final: true,
    pattern: /chain ?id|invalid sender|recover sender|resolvesender|replay.protect|eip-?155/i,
    say: 'It is signed for another chain.',
  },
] as const

/** The meaning of a node's error for a sent transaction; null where the node already has the transaction. */
export function refusalOf(message: string): Refusal | null {
  const row = table.find(({ pattern }) => pattern.test(message))
  if (row === undefined) return { kind: 'other', final: false, say: 'The node refused it.' }
  const { kind, final, say } = row
  return kind === 'known' ? null : { kind, final, say }
}
