import { decodeEventLog, type Log, parseAbi } from 'viem'

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
