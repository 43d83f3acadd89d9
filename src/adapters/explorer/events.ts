import { decodeEventLog, type Log, parseAbi } from 'viem'
import { amountIn } from './calls.ts'
import type { TokenParty } from './parties.ts'

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

/** Decodes a log where its event is known, with amounts in units of `token` where it is that of one; other logs are shown raw. */
export function explained(log: Log, token: TokenParty | null = null) {
  const { address, topics, data } = log
  return { index: log.logIndex ?? 0, address, topics, data, event: eventOf(log, token) }
}

type Event = { name: string; args: { name: string; value: string }[] }

function eventOf(log: Log, token: TokenParty | null): Event | null {
  try {
    const { eventName, args } = decodeEventLog({ abi: knownEvents, topics: log.topics, data: log.data })
    const written = ([name, value]: [string, unknown]) => {
      const isAmount = (name === 'value' || name === 'wad') && typeof value === 'bigint'
      return { name, value: (isAmount ? amountIn(value, token) : null) ?? String(value) }
    }
    return { name: eventName, args: Object.entries(args).map(written) }
  } catch {
    return null
  }
}
