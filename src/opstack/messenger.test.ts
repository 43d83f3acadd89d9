import { encodeEventTopics, encodeFunctionData, type Hex, keccak256, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { isStranded, relayedParties } from './messenger.ts'

const [bridge, other, alice, bob, token] = ['b1', 'b2', 'a1', 'b0', '70'].map(
  (byte) => `0x${byte.repeat(20)}` as Hex,
) as [Hex, Hex, Hex, Hex, Hex]
const abi = parseAbi([
  'function relayMessage(uint256, address, address, uint256, uint256, bytes) payable',
  'function finalizeBridgeETH(address, address, uint256, bytes) payable',
  'function finalizeBridgeERC20(address, address, address, address, uint256, bytes)',
  'event FailedRelayedMessage(bytes32 indexed hash)',
  'event RelayedMessage(bytes32 indexed hash)',
])
const relay = (message: Hex) =>
  encodeFunctionData({ abi, functionName: 'relayMessage', args: [1n, bridge, other, 5n, 200_000n, message] })

test('sender and receiver are found through messenger and standard bridge', () => {
  const ether = encodeFunctionData({ abi, functionName: 'finalizeBridgeETH', args: [alice, bob, 5n, '0x'] })
  const tokens = encodeFunctionData({
    abi,
    functionName: 'finalizeBridgeERC20',
    args: [token, token, alice, bob, 5n, '0x12'],
  })
  expect(relayedParties(relay(ether))).toEqual({ from: alice, to: bob })
  expect(relayedParties(relay(tokens))).toEqual({ from: alice, to: bob })
  expect(relayedParties(relay('0x12345678'))).toEqual({ from: bridge, to: other })
  for (const call of ['0x', ether, relay(ether).slice(0, 300)] as Hex[]) expect(relayedParties(call)).toBeNull()
})

test('a message is stranded only where the called messenger logged it', () => {
  const log = (eventName: 'FailedRelayedMessage' | 'RelayedMessage', address: Hex) => ({
    address,
    data: '0x' as const,
    topics: encodeEventTopics({ abi, eventName, args: { hash: keccak256('0x01') } }) as Hex[],
  })
  expect(isStranded(bridge, [log('RelayedMessage', bridge), log('FailedRelayedMessage', bridge)])).toBe(true)
  expect(isStranded(bridge, [log('RelayedMessage', bridge), log('FailedRelayedMessage', other)])).toBe(false)
})
