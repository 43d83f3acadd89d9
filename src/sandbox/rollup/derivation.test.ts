import { join } from 'node:path'
import {
  concat,
  encodeAbiParameters,
  encodePacked,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  toFunctionSelector,
} from 'viem'
import { getSourceHash, serializeTransaction } from 'viem/op-stack'
import { expect, test } from 'vitest'
import { depositedTopic } from '../../opstack/deposits.ts'
import { temporaryDir } from '../fixtures/testing.ts'
import type { ChainEvent } from '../kit/events.ts'
import { createDerivation, type Derivation, readOrigin } from './derivation.ts'
import { type Ledger, openLedger } from './ledger.ts'

const hashOf = (number: number): Hex => pad(numberToHex(number + 1))
const none = { deposits: [], withdrawals: [], proof: null }

function addBlock(ledger: Ledger, number: number, origin: number, sources: readonly Hex[] = []): void {
  const roots = {
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    stateRoot: pad('0x'),
    passerRoot: pad('0x'),
  } as const
  const deposits = sources.map((source) => ({ source, hash: source, parentTransaction: source, block: number }))
  const block = { number, ...roots, timestamp: number, origin: { number: origin, hash: hashOf(origin) }, sequence: 0 }
  ledger.add(block, { ...none, deposits })
}

/** A parent chain with blocks four seconds apart, each from `first` on with one deposit of this much gas. */
function parentOf(blocks: number, gas: bigint, first = 0) {
  const deposit = encodePacked(['uint256', 'uint256', 'uint64', 'bool'], [1n, 0n, gas, false])
  const data = encodeAbiParameters([{ type: 'bytes' }], [deposit])
  return {
    head: () =>
      ({ number: blocks, hash: hashOf(blocks), parentHash: pad('0x'), stateRoot: pad('0x'), timestamp: 0 }) as const,
    read: async (method: string, params?: unknown) => {
      const [asked] = params as [string | { blockHash: Hex }]
      if (method === 'eth_getBlockByNumber') {
        const number = Number(asked)
        return {
          hash: hashOf(number),
          parentHash: hashOf(number - 1),
          timestamp: numberToHex(4 * number),
          baseFeePerGas: numberToHex(1_000 + number),
        }
      }
      const { blockHash } = asked as { blockHash: Hex }
      const topics = [depositedTopic, pad('0x01'), pad('0x02'), pad('0x')]
      if (BigInt(blockHash) < BigInt(hashOf(first))) return []
      return [{ blockHash, logIndex: '0x0', transactionHash: blockHash, topics, data }]
    },
  }
}

async function derivationAt(dir: string, blocks: number, gas = 100_000n, first = 0) {
  const ledger = openLedger(join(dir, 'ledger.sqlite'))
  addBlock(ledger, 1, 0)
  const events: ChainEvent[] = []
  const parent = parentOf(blocks, gas, first)
  const origin = await readOrigin({ parent, ledger })
  const derivation = createDerivation({ parent, ledger, origin, emit: (event) => events.push(event) })
  await derivation.follow()
  return { ledger, derivation, events }
}

/** The derived deposits and origin of a block, without the attributes deposit. */
function taken(derivation: Derivation, timestamp: number) {
  const {
    deposits: [attributes, ...ordered],
    origin,
  } = derivation.derive(timestamp)
  expect(attributes?.parentTransaction).toBeNull()
  return { parents: ordered.map(({ parentTransaction }) => parentTransaction), origin }
}

test('uses parent blocks in order: none that is too new, and none that is later than the block', async () => {
  await using dir = await temporaryDir()
  const { ledger, derivation } = await derivationAt(dir.path, 5)
  const nothing = { parents: [], origin: undefined }
  expect(taken(derivation, 3)).toEqual(nothing)
  expect(derivation.derive(8).origin).toEqual({ number: 2, hash: hashOf(2) })
  // A block that was not produced leaves everything for the next one.
  expect(taken(derivation, 100)).toEqual({ parents: [1, 2, 3, 4].map(hashOf), origin: { number: 4, hash: hashOf(4) } })
  addBlock(ledger, 2, 4)
  expect(taken(derivation, 100)).toEqual(nothing)
  ledger.close()
})

test('skips a source that an earlier block has used, and goes on', async () => {
  await using dir = await temporaryDir()
  const { ledger, derivation } = await derivationAt(dir.path, 3)
  const [, first] = derivation.derive(4).deposits
  if (!first) throw new Error('no deposit')
  addBlock(ledger, 2, 0, [first.sourceHash])
  expect(taken(derivation, 100)).toMatchObject({ parents: [hashOf(2)], origin: { number: 2 } })
  ledger.close()
})

test('uses no more deposits than fit a block, and at least one parent block', async () => {
  await using dir = await temporaryDir()
  const { ledger, derivation } = await derivationAt(dir.path, 6, 19_000_000n)
  expect(derivation.derive(100).origin?.number).toBe(2)
  ledger.close()
})

/** A parent that can be reorganised from a block on, with other deposits. */
function turningParent(blocks: number) {
  const first = parentOf(blocks, 100_000n)
  let turnedAt = Number.POSITIVE_INFINITY
  let height = blocks
  const turned = (number: number) => (number >= turnedAt ? keccak256(hashOf(number)) : hashOf(number))
  return {
    turnAt: (number: number, toHeight: number) => {
      turnedAt = number
      height = toHeight
    },
    head: () => ({ ...first.head(), number: height, hash: turned(height) }),
    read: async (method: string, params?: unknown) => {
      const answer = (await first.read(method, params)) as { hash: Hex }
      if (method !== 'eth_getBlockByNumber') return answer
      const number = Number((params as [Hex])[0])
      return { ...answer, hash: turned(number), parentHash: turned(number - 1) }
    },
  }
}

test('gives each block its origin in the format of the OP Stack', async () => {
  await using dir = await temporaryDir()
  const { ledger, derivation } = await derivationAt(dir.path, 5)
  const failure = (timestamp: number) => derivation.derive(timestamp).deposits[0]
  const source = (number: number, sequenceNumber: number) =>
    getSourceHash({ domain: 'l1InfoDeposit', l1BlockHash: hashOf(number), sequenceNumber })
  expect(failure(3)).toMatchObject({ sourceHash: source(0, 1), from: expect.stringMatching(/^0xdeaddead.*0001$/) })
  const first = derivation.derive(8)
  expect(failure(8)?.sourceHash).toBe(source(2, 0))
  addBlock(ledger, 2, 2)
  const { data } = failure(11)!
  const packed = encodePacked(
    ['uint32', 'uint32', 'uint64', 'uint64', 'uint64', 'uint256', 'uint256', 'bytes32', 'bytes32', 'uint32', 'uint64'],
    // Scalars, then sequence number, time, number, base fees, hash, batcher, and operator fees.
    [0, 0, 1n, 8n, 2n, 1_002n, 1n, hashOf(2), pad('0x'), 0, 0n],
  )
  expect(data).toBe(concat([toFunctionSelector('setL1BlockValuesIsthmus()'), packed]))
  const { hash, sourceHash, from, to } = first.deposits[0]!
  const transaction = {
    type: 'deposit',
    sourceHash,
    from,
    to: to!,
    gas: 1_000_000n,
    data: first.deposits[0]!.data,
  } as const
  expect(keccak256(serializeTransaction(transaction))).toBe(hash)
  ledger.close()
})

test('keeps the first derivation of a block until there is a deposit for it', async () => {
  await using dir = await temporaryDir()
  const { ledger, derivation } = await derivationAt(dir.path, 5, 100_000n, 3)
  const begun = derivation.derive(4)
  expect(begun.origin?.number).toBe(1)
  expect(derivation.derive(8)).toEqual(begun)
  expect(taken(derivation, 12)).toMatchObject({ parents: [hashOf(3)], origin: { number: 3 } })
  // After the clock was set back, an earlier block may use fewer parent blocks.
  expect(derivation.derive(8).origin?.number).toBe(2)
  ledger.close()
})

test('reads reorganised parent blocks again that no rollup block has used', async () => {
  await using dir = await temporaryDir()
  const ledger = openLedger(join(dir.path, 'ledger.sqlite'))
  addBlock(ledger, 1, 2)
  const parent = turningParent(6)
  const events: ChainEvent[] = []
  const origin = await readOrigin({ parent, ledger })
  const derivation = createDerivation({ parent, ledger, origin, emit: (event) => events.push(event) })
  const sources = () => taken(derivation, 100).parents
  await derivation.follow()
  expect(sources()).toEqual([3, 4, 5].map(hashOf))
  for (const height of [7, 5, 5]) {
    parent.turnAt(4, height)
    await derivation.follow()
    const last = height - 1
    expect(sources()).toEqual([hashOf(3), ...[4, 5, 6].filter((at) => at <= last).map((at) => keccak256(hashOf(at)))])
  }
  expect(derivation.verified()).toBe(7)
  expect(events).toEqual([])
  ledger.close()
})

test('derives nothing from a parent that lacks an origin, and says what to do', async () => {
  await using dir = await temporaryDir()
  const ledger = openLedger(join(dir.path, 'ledger.sqlite'))
  addBlock(ledger, 1, 3)
  for (const [turn, height] of [
    [3, 9],
    [3, 3],
    [2, 2],
  ] as const) {
    const parent = turningParent(6)
    const events: ChainEvent[] = []
    const origin = await readOrigin({ parent, ledger })
    const derivation = createDerivation({ parent, ledger, origin, emit: (event) => events.push(event) })
    await derivation.follow()
    parent.turnAt(turn, height)
    for (const _ of ['once', 'again']) {
      await derivation.follow()
      expect(taken(derivation, 100)).toEqual({ parents: [], origin: undefined })
    }
    expect(derivation.verified()).toBe(6)
    const failure = { message: expect.stringMatching(/no longer has block 3 .*one backup/) }
    expect(events).toEqual(Array(2).fill({ type: 'derivation-failed', error: expect.objectContaining(failure) }))
    await expect(readOrigin({ parent, ledger })).rejects.toThrow('no longer has block 3')
  }
  await readOrigin({ parent: turningParent(6), ledger })
  ledger.close()
})
