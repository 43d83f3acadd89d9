import { LRUCache } from 'lru-cache'
import type { Hex } from 'viem'
import type { Head } from '../../../domain/ports/chains.ts'
import type { NodeBlock } from '../../../domain/ports/node.ts'

/** What was read of a chain at its newest block, shared by all who read it, and dropped with the block. */
export type BlockView = {
  block: Head
  /** Wei; null on a chain without base fees. */
  baseFee: bigint | null
  /** The result of a read at this block. It is made once, however many ask for it; one that failed is made again. */
  once<T>(name: string, read: () => Promise<T>): Promise<T>
  /** Answers of contracts, by contract and call; null where the contract gave none. */
  answers: Pick<LRUCache<string, Promise<Hex | null>>, 'get' | 'set' | 'delete'>
}

/** The most results of one block that are kept. Some hold the transfers of a token in many blocks. */
const mostResults = 200
/** The most answers of contracts of one block that are kept, of about 1 KB each. */
const mostAnswers = 10_000

type Newest = Pick<NodeBlock, 'number' | 'hash' | 'header'>

export type BlockViews = {
  /** The view of the newest block. That of the block before is dropped. */
  view(): Promise<BlockView>
  /** Reports a block that a caller was shown: no caller reads an older one from then on. */
  saw(number: bigint): void
  /** Whether a block has left the chain. Then it is viewed no more, even before another one is reported. */
  left(block: Head): Promise<boolean>
}

type Sources = {
  /** The newest block that was reported. */
  head(): Promise<Newest>
  /** The newest block of the node. */
  latest(): Promise<Newest>
  /** The hash of the block of a number; null where the chain is not that long. */
  hashOf(number: bigint): Promise<Hex | null>
}

/** Creates the views. */
export function blockViews({ head, latest, hashOf }: Sources): BlockViews {
  let view: BlockView | null = null
  let seen = 0n
  let gone: Hex | null = null
  return {
    async view() {
      let newest = await head()
      if (newest.number < seen || newest.hash === gone) {
        newest = await latest()
        seen = newest.number // lower than before where that block has left the chain
      }
      if (view?.block.hash !== newest.hash) view = viewOf(newest)
      return view
    },
    saw(number) {
      if (number > seen) seen = number
    },
    async left({ number, hash }) {
      const present = await hashOf(number).catch(() => null)
      const hasLeft = present !== null && present !== hash // a node that lags has none, or does not answer
      if (hasLeft) gone = hash
      return hasLeft
    },
  }
}

/** Reads at the newest block; where it left the chain while it was read, again at the one that took its place. */
export async function atNewest<T>(views: BlockViews, read: (view: BlockView) => Promise<T>): Promise<T> {
  const view = await views.view()
  try {
    return await read(view)
  } catch (failure) {
    if (!(await views.left(view.block))) throw failure
    return await read(await views.view())
  }
}

/** The head that a block is. */
export function headOf({ number, hash, header }: Newest): Head {
  return { number, hash, timestamp: BigInt(String(header.timestamp)) }
}

function viewOf(newest: Newest): BlockView {
  const { baseFeePerGas } = newest.header
  const results = new LRUCache<string, Promise<unknown>>({ max: mostResults })
  return {
    block: headOf(newest),
    baseFee: baseFeePerGas === undefined ? null : BigInt(String(baseFeePerGas)),
    once<T>(name: string, read: () => Promise<T>): Promise<T> {
      const made = results.get(name)
      if (made !== undefined) return made as Promise<T> // the name stands for one read alone
      const result = read()
      results.set(name, result)
      result.catch(() => results.get(name) === result && results.delete(name))
      return result
    },
    answers: new LRUCache<string, Promise<Hex | null>>({ max: mostAnswers }),
  }
}
