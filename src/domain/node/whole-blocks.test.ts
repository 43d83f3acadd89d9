import { expect, test } from 'vitest'
import { grpcMethods } from '../../../generated/grpc/services.ts'
import { contract } from '../../contract/index.ts'
import { logStreamLimits } from './log-range.ts'
import { bytesOfLogs, inWholeBlocks, type Logs } from './whole-blocks.ts'

const [example] = contract.chain.getLogs.example.output
const { messageBytes } = logStreamLimits

const log = (block: number, index: number, dataBytes: number): Logs[number] => ({
  ...example!,
  blockHash: `0x${String(block).padStart(64, '0')}`,
  blockNumber: `0x${block.toString(16)}`,
  logIndex: `0x${index.toString(16)}`,
  data: `0x${'ab'.repeat(dataBytes)}`,
})
const block = (number: number, logs: number, dataBytes = 100): Logs =>
  Array.from({ length: logs }, (_, index) => log(number, index, dataBytes))
const encoded = (logs: Logs): number => grpcMethods['chain.streamLogs'].encodeResponse({ logs }).length

test('a message is as long as it was reckoned', () => {
  const { removed: _removed, blockTimestamp: _time, ...plain } = log(1, 0, 0)
  const pending = { blockHash: null, blockNumber: null, transactionHash: null, transactionIndex: null, logIndex: null }
  const many = [
    { ...plain, topics: [] },
    { ...plain, ...pending },
    { ...plain, removed: true, blockTimestamp: '0x68e0f1a2' },
    // At each of these the length of a text or of a log takes one more byte.
    ...[62, 63, 64, 7_000, 8_190, 8_191, 8_192, 1_048_574, 1_048_575, 1_048_576].map((bytes) => log(2, 0, bytes)),
  ]
  for (const each of many) expect(bytesOfLogs([each])).toBe(encoded([each]))
  expect(bytesOfLogs(many)).toBe(encoded(many))
  expect(bytesOfLogs([])).toBe(0)
})

test('messages have whole blocks in order, and are as full as they may be', () => {
  const logs = Array.from({ length: 40 }, (_, number) => block(number, 50, 20 * number)).flat()
  const messages = inWholeBlocks(logs, messageBytes)
  expect(messages.flat()).toEqual(logs)
  expect(messages.length).toBeGreaterThan(2)
  const numbers = messages.map((message) => new Set(message.map(({ blockNumber }) => blockNumber)))
  expect(numbers.reduce((sum, { size }) => sum + size, 0)).toBe(40)
  for (const [index, message] of messages.entries()) {
    expect(encoded(message)).toBeLessThanOrEqual(messageBytes)
    const next = messages[index + 1]
    const first = next?.filter(({ blockNumber }) => blockNumber === next[0]?.blockNumber) ?? []
    if (next !== undefined) expect(encoded([...message, ...first])).toBeGreaterThan(messageBytes)
  }
})

test('two blocks that fill a message to the last byte share it', () => {
  const two = [block(1, 3), block(2, 3)]
  const bytes = encoded(two.flat())
  expect(inWholeBlocks(two.flat(), bytes)).toEqual([two.flat()])
  expect(inWholeBlocks(two.flat(), bytes - 1)).toEqual(two)
})

test('a block with more than a message takes is one message of its own', () => {
  const parts = [block(1, 2), block(2, 30, 20_000), block(3, 2)]
  expect(encoded(parts[1]!)).toBeGreaterThan(messageBytes)
  expect(inWholeBlocks(parts.flat(), messageBytes)).toEqual(parts)
  expect(inWholeBlocks([], messageBytes)).toEqual([])
})
