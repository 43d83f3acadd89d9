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

/** The most bytes that are decoded of one input, in which calls may seem to lie within each other. */
const mostBytes = 1_048_576

/** A withdrawal as the portal's functions take it. */
type PortalMessage = { nonce: bigint; sender: Hex; target: Hex; value: bigint; data: Hex }

/** A withdrawal that a parent transaction proves or finalizes. Its message is known where the transaction's input has it. */
export type Claim = { hash: Hex; message: PortalMessage | null }

/** The hash of the withdrawal that a log of the portal reports as proven or finalized; null for other logs. */
export function claimedHash({ topics: [topic, hash] }: Pick<WireLog, 'topics'>): Hex | null {
  return hash !== undefined && (topic === provenTopic || topic === finalizedTopic) ? lower(hash) : null
}

/**
 * The withdrawals in the input of a transaction by their hashes: of a call of the portal, and of calls of it within the
 * input of a multicall, a smart account or a relayer, wherever in that it lies.
 */
export function messagesOfInput(input: Hex): Map<Hex, PortalMessage> {
  const found = new Map<Hex, PortalMessage>()
  let bytes = 0
  for (const selector of selectors)
    for (let at = input.indexOf(selector); at !== -1; at = input.indexOf(selector, at + 1)) {
      const text = at % 2 === 0 ? messageText(input, at + selector.length) : null
      if (text === null) continue
      bytes += text.length / 2
      if (bytes > mostBytes) return found
      const read = messageIn(text)
      if (read !== null) found.set(...read)
    }
  return found
}

/** The digits of a word of 32 bytes, and the places of a message's parts in words. */
const word = 64
const dataAt = 6

/** The part of an input that holds the message which begins at a place; null where there is none. */
function messageText(input: Hex, at: number): Hex | null {
  const numberAt = (place: number) => Number(`0x${input.slice(place, place + word)}`)
  const offset = numberAt(at) * 2
  const length = numberAt(at + offset + dataAt * word) * 2
  const end = at + offset + (dataAt + 1) * word + Math.ceil(length / word) * word
  return end <= input.length && end > at ? `0x${input.slice(at, end)}` : null
}

function messageIn(text: Hex): [Hex, PortalMessage] | null {
  try {
    const [read] = decodeAbiParameters(message, text)
    const { nonce, sender, target, value, gasLimit, data } = read
    return [keccak256(encodeAbiParameters(hashed, [nonce, sender, target, value, gasLimit, data])), read]
  } catch {
    return null
  }
}
