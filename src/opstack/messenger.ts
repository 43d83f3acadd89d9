import { decodeFunctionData, type Hex, parseAbi, toEventSelector } from 'viem'
import { lower, type WireLog } from './messages.ts'

/** The call that a messenger relays to the other chain, and the messages that the standard bridges send through it. */
const relayAbi = parseAbi([
  'function relayMessage(uint256 nonce, address sender, address target, uint256 value, uint256 minGasLimit, bytes message) payable',
])
const bridgeAbi = parseAbi([
  'function finalizeBridgeETH(address from, address to, uint256 amount, bytes extraData) payable',
  'function finalizeBridgeERC20(address localToken, address remoteToken, address from, address to, uint256 amount, bytes extraData)',
])

const failedTopic = toEventSelector('FailedRelayedMessage(bytes32)')

/** Sender and receiver of a relayed message: users of the standard bridge, or contracts. Null for other calls. */
export function relayedParties(call: Hex): { from: Hex; to: Hex } | null {
  try {
    const [, sender, target, , , message] = decodeFunctionData({ abi: relayAbi, data: call }).args
    return bridgedParties(message) ?? { from: lower(sender), to: lower(target) }
  } catch {
    return null
  }
}

/** True where the messenger logged that the message failed. It holds the funds until someone retries the message. */
export function isStranded(messenger: Hex, logs: readonly WireLog[]): boolean {
  return logs.some(({ address, topics }) => address === messenger && topics[0] === failedTopic)
}

function bridgedParties(message: Hex): { from: Hex; to: Hex } | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: bridgeAbi, data: message })
    const [from, to] = functionName === 'finalizeBridgeETH' ? [args[0], args[1]] : [args[2], args[3]]
    return { from: lower(from), to: lower(to) }
  } catch {
    return null
  }
}
