import { decodeEventLog, type Hex, parseAbi, toEventSelector } from 'viem'
import { messagePasser } from './predeploys.ts'

const passedAbi = parseAbi([
  'event MessagePassed(uint256 indexed nonce, address indexed sender, address indexed target, uint256 value, uint256 gasLimit, bytes data, bytes32 withdrawalHash)',
])

export const passedTopic = toEventSelector(passedAbi[0])

/** A log's address, topics and data, in JSON-RPC form. */
export type WireLog = { address: Hex; topics: readonly Hex[]; data: Hex }

/** Decodes a `MessagePassed` log. */
export function messageOf({ topics, data }: Pick<WireLog, 'topics' | 'data'>) {
  return decodeEventLog({ abi: passedAbi, topics: [...topics] as [Hex, ...Hex[]], data }).args
}

/** The withdrawals that a rollup transaction initiated, by its logs. */
export function messagesIn(logs: readonly WireLog[]) {
  return logs.filter(({ address, topics }) => address === messagePasser && topics[0] === passedTopic).map(messageOf)
}

/** An address or hash in lower case, for comparisons. */
export function lower(value: Hex): Hex {
  return value.toLowerCase() as Hex
}
