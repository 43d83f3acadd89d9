import { decodeErrorResult, type Hex, isHex, parseAbi } from 'viem'
import { quantityOf } from '../../kit/hex.ts'
import { reasonOf, revertOf } from '../node/errors/reverts.ts'
import type { CallNode } from './node.ts'
import type { Parties, Party } from './parties.ts'

/** One call inside a transaction; value in wei. `hidden` counts the nested calls that the page omits. */
type TracedCall = {
  type: string
  to: Party | null
  selector: string
  valueWei: bigint
  gasUsed: bigint
  error: string | null
  calls: TracedCall[]
  hidden: number
}

/** A call as the callTracer returns it. */
export type Frame = {
  type?: string
  to?: string
  input?: string
  output?: string
  value?: string
  gasUsed?: string
  error?: string
  calls?: Frame[]
}

const mostCalls = 200
const mostDepth = 20

/** Null where the node cannot trace, or no longer has the state. */
export async function readTrace(callNode: CallNode, hash: string): Promise<Frame | null> {
  const trace = await callNode('debug_traceTransaction', hash, { tracer: 'callTracer' }).catch(() => null)
  return trace === null || typeof trace !== 'object' || !('from' in trace) ? null : (trace as Frame)
}

/** The call tree, cut to what a page can show. */
export function traceTree(trace: Frame, parties: Parties): TracedCall {
  let left = mostCalls
  const treeOf = (frame: Frame, depth: number): TracedCall => {
    left -= 1
    const below = frame.calls ?? []
    const calls: TracedCall[] = []
    for (const one of below) if (left > 0 && depth < mostDepth) calls.push(treeOf(one, depth + 1))
    return {
      type: String(frame.type ?? 'CALL').slice(0, 20),
      to: frame.to === undefined ? null : parties.party(frame.to),
      selector: String(frame.input ?? '0x').slice(0, 10),
      valueWei: BigInt(frame.value ?? 0),
      gasUsed: BigInt(frame.gasUsed ?? 0),
      error: frame.error === undefined ? null : frame.error.slice(0, 200).toWellFormed(),
      calls,
      hidden: below.length - calls.length,
    }
  }
  return treeOf(trace, 0)
}

/** The wei that calls inside a transaction sent to an address. */
export function receivedIn(trace: Frame | null, address: string): bigint {
  let sum = 0n
  for (const frames = [...(trace?.calls ?? [])]; frames.length > 0; ) {
    const frame = frames.pop()
    if (frame === undefined || frame.error !== undefined) continue
    if (frame.type === 'CALL' && frame.to?.toLowerCase() === address.toLowerCase()) sum += BigInt(frame.value ?? 0)
    for (const one of frame.calls ?? []) frames.push(one)
  }
  return sum
}

/** Why the outermost call of a reverted transaction failed; null where its trace does not say it. */
export function tracedReason({ output, error }: Frame): string | null {
  if (isHex(output) && output !== '0x') return revertText(output)
  return error !== undefined && /out of ?gas/i.test(error) ? 'out of gas' : null
}

/** Why a transaction reverted, by a call on the state before its block; null where that call succeeds. */
export async function replayedReason(
  callNode: CallNode,
  {
    from,
    to,
    input,
    value,
    blockNumber,
  }: Record<'from' | 'input', string> & {
    to: string | null
    value: bigint
    blockNumber: bigint | null
  },
): Promise<string | null> {
  if (to === null || blockNumber === null || blockNumber === 0n) return null
  const call = { from, to, data: input, value: quantityOf(value) }
  try {
    await callNode('eth_call', call, quantityOf(blockNumber - 1n))
    return null
  } catch (error) {
    return revertOf(error)
  }
}

const customErrors = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error SafeERC20FailedOperation(address token)',
  'error OwnableUnauthorizedAccount(address account)',
])

const panics: Record<string, string> = {
  'panic 0x1': 'an assertion failed',
  'panic 0x11': 'a number overflowed',
  'panic 0x12': 'division by zero',
  'panic 0x21': 'an invalid value of an enumeration',
  'panic 0x31': 'an empty list was shortened',
  'panic 0x32': 'a list is shorter than its index',
  'panic 0x41': 'out of memory',
}

/** The text of a revert's payload. */
function revertText(data: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: customErrors, data })
    if (customErrors.some(({ name }) => name === errorName))
      return `${errorName}(${(args ?? []).map(String).join(', ')})`
  } catch {
    // not one of these
  }
  const reason = reasonOf(data)
  const panic = panics[reason]
  return panic === undefined ? reason : `${panic} (${reason})`
}
