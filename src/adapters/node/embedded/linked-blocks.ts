import { type Hex, keccak256, toRlp } from 'viem'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { rlpInteger } from '../../../opstack/rlp-integer.ts'
import { wireQuantity } from '../wire-objects.ts'

const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const noRoot = `0x${'00'.repeat(32)}`

/**
 * Links simulated blocks, given with whole transactions, to the block they build on and to each other, and gives their
 * transactions and logs the block's hash and their indexes.
 */
export function linkedBlocks(blocks: readonly NodeObject[], baseHash: string): NodeObject[] {
  const linked: NodeObject[] = []
  let parentHash = baseHash
  for (const block of blocks) {
    const header = { ...block, parentHash, receiptsRoot: receiptsRootOf(block) }
    parentHash = headerHash(header)
    linked.push({ ...header, hash: parentHash, ...contents(header, parentHash) })
  }
  return linked
}

/** Anvil computes no root of the receipts, and repeats that of the transactions there. */
function receiptsRootOf({ transactionsRoot }: NodeObject): string {
  return transactionsRoot === emptyRoot ? emptyRoot : noRoot
}

/** The hash of the header as it is returned: without the fields added after the London upgrade. */
function headerHash(block: NodeObject): Hex {
  const bytes = (name: string) => block[name] as Hex
  const integer = (name: string) => rlpInteger(bytes(name))
  return keccak256(
    toRlp([
      ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'].map(bytes),
      ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'].map(integer),
      ...['extraData', 'mixHash', 'nonce'].map(bytes),
      integer('baseFeePerGas'),
    ]),
  )
}

/** Anvil's logs name other transactions than the block has, and the whole transactions lack their positions. */
function contents({ number: blockNumber, gasLimit, transactions, calls }: NodeObject, blockHash: string): NodeObject {
  const all = transactions as NodeObject[]
  let logs = 0
  return {
    transactions: all.map((each, index) => ({
      ...each,
      blockHash,
      blockNumber,
      transactionIndex: wireQuantity(index),
    })),
    calls: (calls as NodeObject[]).map((call, index) => {
      const { hash: transactionHash, gas } = all[index] ?? {}
      // A failed call reverted its transfers, but anvil still returns their logs.
      if (call.error !== undefined) return { ...call, error: failureOf(call, gas === '0x0' ? gasLimit : gas), logs: [] }
      const own = (call.logs ?? []) as NodeObject[]
      return {
        ...call,
        logs: own.map((log) => ({ ...log, blockHash, transactionHash, logIndex: wireQuantity(logs++) })),
      }
    }),
  }
}

/**
 * Data that a failed call returns is the reason of its revert, which may be empty; any other failure uses up all of its
 * gas. The codes are those of other nodes.
 */
function failureOf({ returnData, gasUsed }: NodeObject, gas: unknown): NodeObject {
  if (returnData === '0x' && gasUsed === gas) return { code: -32015, message: 'vm execution error' }
  return { code: 3, message: 'execution reverted', data: returnData }
}
