import {
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { lower, type WireLog } from './messages.ts'

export const provenTopic = toEventSelector('WithdrawalProven(bytes32,address,address)')
export const finalizedTopic = toEventSelector('WithdrawalFinalized(bytes32,bool)')

/** Of the portal's functions that prove or finalize a withdrawal, in all its versions. */
const selectors = parseAbi([
  'struct Message { uint256 nonce; address sender; address target; uint256 value; uint256 gasLimit; bytes data; }',
  'struct Root { bytes32 version; bytes32 stateRoot; bytes32 messagePasserStorageRoot; bytes32 latestBlockhash; }',
  'function proveWithdrawalTransaction(Message withdrawal, uint256 index, Root output, bytes[] proof)',
  'function finalizeWithdrawalTransaction(Message withdrawal)',
  'function finalizeWithdrawalTransactionExternalProof(Message withdrawal, address submitter)',
]).map((item) => toFunctionSelector(item).slice(2))

const message = parseAbiParameters([
  'Message withdrawal',
  'struct Message { uint256 nonce; address sender; address target; uint256 value; uint256 gasLimit; bytes data; }',
])
const hashed = parseAbiParameters('uint256, address, address, uint256, uint256, bytes')

/** How often a call may contain a selector and hold no withdrawal. */
const mostMisses = 20

/** A withdrawal as the portal's functions take it. */
type PortalMessage = { nonce: bigint; sender: Hex; target: Hex; value: bigint; data: Hex }

/** A withdrawal that a parent transaction proves or finalizes. Its message is known where the transaction's input has it. */
export type Claim = { hash: Hex; message: PortalMessage | null }

/** The hash of the withdrawal that a log of the portal reports as proven or finalized; null for other logs. */
export function claimedHash({ topics: [topic, hash] }: Pick<WireLog, 'topics'>): Hex | null {
  return hash !== undefined && (topic === provenTopic || topic === finalizedTopic) ? lower(hash) : null
}

/**
 * The wanted withdrawals by their hashes, from the input of a transaction: of a call of the portal, and of calls of it
 * within the input of a multicall, a smart account or a relayer, wherever in that it lies.
 */
export function messagesOfInput(input: Hex, wanted: readonly Hex[]): Map<Hex, PortalMessage> {
  const found = new Map<Hex, PortalMessage>()
  const missing = new Set(wanted)
  let misses = 0
  for (const selector of selectors)
    for (let at = input.indexOf(selector); at !== -1; at = input.indexOf(selector, at + 1)) {
      if (missing.size === 0 || misses === mostMisses) return found
      const read = at % 2 === 0 ? messageAt(input, at + selector.length) : null
      if (read !== null && missing.delete(read[0])) found.set(...read)
      else misses += 1
    }
  return found
}

/** The withdrawal that begins at a place of the input, with its hash. The portal's other arguments follow it. */
function messageAt(input: Hex, at: number): [Hex, PortalMessage] | null {
  try {
    const [read] = decodeAbiParameters(message, `0x${input.slice(at)}`)
    const { nonce, sender, target, value, gasLimit, data } = read
    return [keccak256(encodeAbiParameters(hashed, [nonce, sender, target, value, gasLimit, data])), read]
  } catch {
    return null
  }
}
