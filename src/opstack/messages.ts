import { type Address, decodeEventLog, type Hex, parseAbi, toEventSelector } from 'viem'

/** Where withdrawals begin; every OP-Stack rollup has it here. */
export const messagePasser: Address = '0x4200000000000000000000000000000000000016'

const passedAbi = parseAbi([
  'event MessagePassed(uint256 indexed nonce, address indexed sender, address indexed target, uint256 value, uint256 gasLimit, bytes data, bytes32 withdrawalHash)',
])

export const passedTopic = toEventSelector(passedAbi[0])

/** A log of either chain, as far as it matters here, in wire form. */
export type WireLog = { address: Hex; topics: readonly Hex[]; data: Hex }

/** What a `MessagePassed` log says. */
export function messageOf({ topics, data }: Pick<WireLog, 'topics' | 'data'>) {
  return decodeEventLog({ abi: passedAbi, topics: [...topics] as [Hex, ...Hex[]], data }).args
}

/** The withdrawals that a transaction of the rollup began. */
export function messagesIn(logs: readonly WireLog[]) {
  return logs.filter(({ address, topics }) => address === messagePasser && topics[0] === passedTopic).map(messageOf)
}

/** An address as every comparison here has it. */
export function lower(value: Hex): Hex {
  return value.toLowerCase() as Hex
}
