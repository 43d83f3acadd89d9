import { type Hex, keccak256, toRlp } from 'viem'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { rlpInteger } from '../../../opstack/rlp-integer.ts'
import { quantityOf } from '../mended-objects.ts'

const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const noRoot = `0x${'00'.repeat(32)}`

/**
 * Links blocks that were tried out, with their whole transactions, to the one they build on and to each other, and
 * places in them what they hold.
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

/** The engine computes no root of receipts, but shows that of the transactions twice. */
function receiptsRootOf({ transactionsRoot }: NodeObject): string {
  return transactionsRoot === emptyRoot ? emptyRoot : noRoot
}

/** The hash of a header as it is shown, which has nothing that came after London. */
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

/** The engine tells the logs of other transactions than it shows, and places none of those that it shows whole. */
function contents({ number: blockNumber, gasLimit, transactions, calls }: NodeObject, blockHash: string): NodeObject {
  const runs = transactions as NodeObject[]
  let logs = 0
  return {
    transactions: runs.map((run, index) => ({ ...run, blockHash, blockNumber, transactionIndex: quantityOf(index) })),
    calls: (calls as NodeObject[]).map((call, index) => {
      const { hash: transactionHash, gas } = runs[index] ?? {}
      // What failed was taken back with its transfers, which the engine tells all the same.
      if (call.error !== undefined) return { ...call, error: failureOf(call, gas === '0x0' ? gasLimit : gas), logs: [] }
      const own = (call.logs ?? []) as NodeObject[]
      return { ...call, logs: own.map((log) => ({ ...log, blockHash, transactionHash, logIndex: quantityOf(logs++) })) }
    }),
  }
}

/**
 * What a call hands back when it fails is the reason of its revert, which may be empty; any other failure takes all the
 * gas that it had. The numbers are those of other nodes.
 */
function failureOf({ returnData, gasUsed }: NodeObject, gas: unknown): NodeObject {
  if (returnData === '0x' && gasUsed === gas) return { code: -32015, message: 'vm execution error' }
  return { code: 3, message: 'execution reverted', data: returnData }
}
