import { type ErrorCode, simulationErrors } from '../../../contract/shared/errors.ts'
import { DomainError } from '../../../domain/core/errors.ts'
import { isRateLimit, type NodeFailure, NodeReply, silence } from './failures.ts'
import { rangeRefusalOf } from './log-limits.ts'
import { refusalOf } from './refusals.ts'
import { reasonOf } from './reverts.ts'

/** A node's error, or that it did not respond, as a DomainError. Its address may hold a key and is left out. */
export function nodeError(method: string, thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown
  if (!isNodeFailure(thrown)) return silence(thrown)
  const failure = { ...thrown, message: cleaned(thrown.message) }
  const { code, text, metadata } = meaningOf(method, failure)
  return new DomainError(code, text, metadata === undefined ? {} : { metadata }, new NodeReply(failure))
}

/** True where a node refused a transaction because it has it already. */
export function isKnownAlready(error: DomainError): boolean {
  return error.details.metadata?.refusal === 'already_known'
}

type Meaning = { code: ErrorCode; text: string; metadata?: Record<string, string> }
type Rule = (method: string, failure: NodeFailure) => Meaning | null

function meaningOf(method: string, failure: NodeFailure): Meaning {
  const meaning = recognised(method, failure)
  return method === 'eth_simulateV1' ? ofSimulation(meaning) : meaning
}

/** The first rule that recognises the failure decides. */
function recognised(method: string, failure: NodeFailure): Meaning {
  for (const rule of [
    simulationRefusal,
    revert,
    tooLong,
    rateLimit,
    refusal,
    unaffordable,
    halt,
    lack,
    noBlock,
    byCode,
  ]) {
    const meaning = rule(method, failure)
    if (meaning !== null) return meaning
  }
  // A caller who executes code receives the virtual machine's own message.
  if (executesCode(method)) return { code: 'FAILED_PRECONDITION', text: failure.message }
  return { code: 'UNAVAILABLE', text: 'The node failed at this; try again in a few seconds.' }
}

/** Some nodes refuse a simulation with codes of their own, and the same words. */
function ofSimulation(meaning: Meaning): Meaning {
  if (meaning.code !== 'FAILED_PRECONDITION' || meaning.metadata !== undefined) return meaning
  const found = Object.entries(simulationErrors).find(([, { title }]) => meaning.text.startsWith(title))
  return found === undefined ? meaning : { ...meaning, metadata: { simulation: found[0] } }
}

/** The codes of execution-apis for a simulation that cannot be run. */
const simulationRefusal: Rule = (method, { code, message }) => {
  if (method !== 'eth_simulateV1') return null
  const found = Object.entries(simulationErrors).find(([, { jsonRpc }]) => jsonRpc === code)
  return found === undefined ? null : { code: found[1].row, text: message, metadata: { simulation: found[0] } }
}

/** The reason is in the data of the error, or only in its message; an error that a contract defines itself has no text. */
const revert: Rule = (_, { code, message, data }) => {
  const bytes = bytesOf(data)
  const named = /execution reverted(?::\s*(.+))?/i.exec(message)
  if (code !== 3 && named === null && !(bytes !== '0x' && /revert/i.test(message))) return null
  const isStandard = /^0x(08c379a0|4e487b71)/.test(bytes)
  const reason = isStandard ? reasonOf(bytes) : bytes === '0x' ? named?.[1] : undefined
  const text = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
  return { code: 'EXECUTION_REVERTED', text, metadata: { data: bytes } }
}

/** Codes with which nodes refuse a transaction, for a reason that may be one that no table lists. */
const refusing: ReadonlySet<number> = new Set([-32000, -32003, -32010])

/** Why a transaction is refused, with the texts by which client libraries recognise the reason. */
const refusal: Rule = (method, { code, message }) => {
  if (method !== 'eth_sendRawTransaction') return null
  const found = refusalOf(message)
  if (found === null) return rejected('already_known', 'already known')
  if (found.kind === 'other') return refusing.has(code) ? rejected('other', message) : null
  if (!found.final) return { code: 'UNAVAILABLE', text: `${message}: ${found.say}` }
  const figures = figuresIn(message)
  return rejected(found.kind, `${refusalTexts[found.kind]}: ${figures === null ? '' : `${figures}. `}${found.say}`)
}

/** What a node says behind its reason, where that has numbers: the nonce, the gas or the fee that it expects. */
function figuresIn(message: string): string | null {
  const figures = /: (.*\d.*)$/s.exec(message)?.[1]?.replace(/\.$/, '')
  return figures === undefined || figures.length > 200 ? null : figures
}

function rejected(kind: string, text: string): Meaning {
  return { code: 'TRANSACTION_REJECTED', text, metadata: { refusal: kind } }
}

const refusalTexts: Readonly<Record<string, string>> = {
  nonce_too_low: 'nonce too low',
  nonce_too_high: 'nonce too high',
  insufficient_funds: 'insufficient funds for gas * price + value',
  replacement_underpriced: 'replacement transaction underpriced',
  fee_below_base_fee: 'max fee per gas less than block base fee',
  underpriced: 'transaction underpriced',
  gas_too_low: 'intrinsic gas too low',
  gas_too_high: 'exceeds block gas limit',
  wrong_chain: 'invalid chain id for signer',
}

/** A call that its sender could not pay for, with the text of a transaction that is refused for the same reason. */
const unaffordable: Rule = (method, { message }) => {
  const found = executesCode(method) ? refusalOf(message) : null
  if (found?.kind !== 'insufficient_funds') return null
  const say = method === 'eth_createAccessList' ? payingSender : found.say
  return { code: 'FAILED_PRECONDITION', text: `${refusalTexts.insufficient_funds}: ${say}` }
}

/** As go-ethereum has it, where other calls cost their sender nothing. */
const payingSender =
  'The sender of this call pays for its gas on this node. Name a from that can; left out, it is the zero address.'

const lack: Rule = (method, { code, message }) => {
  if (/unsupported tracer/i.test(message))
    return { code: 'UNIMPLEMENTED', text: `The node behind this gateway has no such tracer for ${method}.` }
  const lacks =
    code === -32601 || code === -32004 || /method.{0,60}(not (found|supported|available)|does not exist)/i.test(message)
  return lacks ? { code: 'UNIMPLEMENTED', text: `The node behind this gateway does not serve ${method}.` } : null
}

const gone =
  /block ?out ?of ?range|unknown block|(header|header for hash|block( #?\w+)?|transaction) not found|beyond head block|genesis is not traceable|missing trie node|state .{0,40}(not available|unavailable|pruned)|history .{0,20}(unavailable|pruned)/i

/** Code 4444 is history that was pruned; its message may say from which block on the node has it. */
const noBlock: Rule = (_, { code, message }) => {
  if (code === 4444) return { code: 'NOT_FOUND', text: message }
  if (code !== -32001 && !gone.test(message)) return null
  if (/transaction not found/i.test(message))
    return { code: 'NOT_FOUND', text: 'transaction not found: there is no such transaction in a block.' }
  return { code: 'NOT_FOUND', text: 'header not found: there is no such block, or the node no longer has its state.' }
}

/** How nodes say that a pool is too long to show; some do so with the code of a rate limit. */
const poolTooLong = /(more than \d+|too many) (results|transactions)|response size/i

/** The limit may be that of the call itself, so that the node is as well as before. */
const traceTime =
  'The trace takes longer than its timeout, or than the node allows. Ask for less of it, or give it longer.'

const tooLong: Rule = (method, { message }) => {
  const text = `The node behind this gateway allows less at once: ${message}`
  if (method.startsWith('txpool_')) return poolTooLong.test(message) ? { code: 'LIMIT_EXCEEDED', text } : null
  if (method.startsWith('debug_') && /execution timeout/i.test(message))
    return { code: 'LIMIT_EXCEEDED', text: traceTime }
  const refused = method === 'eth_getLogs' ? rangeRefusalOf(message) : null
  if (refused === null) return null
  if (refused === 'invalid') return { code: 'INVALID_ARGUMENT', text: message }
  if (refused === 'future') return { code: 'NOT_FOUND', text: `header not found: ${message}` }
  return { code: 'LIMIT_EXCEEDED', text }
}

const rateLimit: Rule = (_, failure) => {
  if (!isRateLimit(failure)) return null
  return { code: 'UNAVAILABLE', text: 'The node behind this gateway limits its rate; try again in a few seconds.' }
}

const byCode: Rule = (_, { code, message, data }) => {
  if (code === -32602) return { code: 'INVALID_ARGUMENT', text: message }
  if (code === -32002) {
    // The embedded chain marks errors that may succeed later; their message says what to do until then.
    const { retryable } = (data ?? {}) as { retryable?: unknown }
    const text = retryable === true ? message : 'The node is not ready; try again in a few seconds.'
    return { code: 'UNAVAILABLE', text }
  }
  return null
}

/** How anvil says that a run halted, by the names of its virtual machine, and the words of other nodes. */
const halts: readonly [RegExp, string][] = [
  [/CallGasCostMoreThanGasLimit|GasFloorMoreThanGasLimit/, 'intrinsic gas too low'],
  [/^EVM error (OutOfGas|\w*OOG)/, 'out of gas'],
  [/^EVM error (InvalidFEOpcode|OpcodeNotFound|NotActivated)/, 'invalid opcode'],
  [/^EVM error InvalidJump/, 'invalid jump destination'],
  [/^EVM error StackUnderflow/, 'stack underflow'],
  [/^EVM error StackOverflow/, 'stack limit reached'],
  [/^EVM error StateChangeDuringStaticCall/, 'write protection'],
  [/^EVM error OutOfOffset/, 'return data out of bounds'],
  [/^EVM error CreateCollision/, 'contract address collision'],
  [/^EVM error CreateContractStartingWithEF/, 'invalid code: must not begin with 0xef'],
  [/^EVM error CreateContractSizeLimit/, 'max code size exceeded'],
]

const halt: Rule = (method, { message }) => {
  const found = executesCode(method) ? halts.find(([pattern]) => pattern.test(message)) : undefined
  return found === undefined ? null : { code: 'FAILED_PRECONDITION', text: found[1] }
}

function executesCode(method: string): boolean {
  return /^(eth_call|eth_estimateGas|eth_createAccessList|eth_simulateV1|debug_traceCall)$/.test(method)
}

function isNodeFailure(thrown: unknown): thrown is NodeFailure {
  const { code, message } = (thrown ?? {}) as Partial<NodeFailure>
  return Number.isInteger(code) && typeof message === 'string'
}

/** The bytes of a revert, which some nodes wrap in an object. */
function bytesOf(data: unknown): `0x${string}` {
  const found = typeof data === 'object' && data !== null ? (data as { data?: unknown }).data : data
  return typeof found === 'string' && /^0x([0-9a-f]{2})*$/i.test(found) ? (found as `0x${string}`) : '0x'
}

/** A node's message without addresses, in printable characters, cut. */
function cleaned(message: string): string {
  const printable = message.replaceAll(/\b(https?|wss?):\/\/\S+/g, '[node]').replaceAll(/[^\x20-\x7e]/g, '')
  return printable.slice(0, 300).trim() || 'the node gave no reason'
}
