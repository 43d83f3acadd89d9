import { decodeEventLog, type Log, parseAbi } from 'viem'
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

type Frame = {
  type?: string
  to?: string
  input?: string
  value?: string
  gasUsed?: string
  error?: string
  calls?: Frame[]
}

const mostCalls = 200
const mostDepth = 20

/** The call tree of the callTracer, cut to what a page can show. */
export function traceTree(trace: unknown, parties: Parties): TracedCall {
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
  return treeOf(trace as Frame, 0)
}

const knownEvents = [
  ...parseAbi([
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    'event Approval(address indexed owner, address indexed spender, uint256 value)',
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    'event Sync(uint112 reserve0, uint112 reserve1)',
  ]),
  ...parseAbi([
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
    'event Deposit(address indexed dst, uint256 wad)',
    'event Withdrawal(address indexed src, uint256 wad)',
  ]),
] as const

/** Decodes a log where its event is known; other logs are shown raw. */
export function explained(log: Log) {
  return { index: log.logIndex ?? 0, address: log.address, topics: log.topics, data: log.data, event: eventOf(log) }
}

function eventOf(log: Log): { name: string; args: { name: string; value: string }[] } | null {
  try {
    const { eventName, args } = decodeEventLog({ abi: knownEvents, topics: log.topics, data: log.data })
    return { name: eventName, args: Object.entries(args).map(([name, value]) => ({ name, value: String(value) })) }
  } catch {
    return null
  }
}
