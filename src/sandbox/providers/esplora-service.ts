import { type BitcoinWorld, type Block, regtestBits } from '../bitcoin/chain.ts'
import { shown } from '../bitcoin/transactions.ts'
import type { Service, ServiceReply } from './server.ts'

/** Bitcoin's regtest in the format of Esplora; `now` is the time in seconds since 1970. */
export function esploraService(chain: BitcoinWorld, now: () => number): Service {
  return {
    prefix: '/bitcoin',
    async answer({ method, path }) {
      return method === 'GET' ? answerOf(chain, chain.tip(now()), path) : null
    },
  }
}

/** Regtest's target as Bitcoin counts difficulty. */
const difficulty = 4.6565423739069247e-10
const fees = { '1': 2.5, '2': 2, '3': 1.5, '6': 1.2, '144': 1, '1008': 1 }

function answerOf(chain: BitcoinWorld, tip: Block, path: string): ServiceReply | null {
  if (path === '/blocks/tip/hash') return { text: shown(tip.hash) }
  if (path === '/blocks/tip/height') return { text: String(tip.height) }
  if (path === '/fee-estimates') return { json: fees }
  if (path === '/blocks') {
    const newest = Array.from({ length: Math.min(10, tip.height + 1) }, (_, back) => chain.at(tip.height - back))
    return { json: newest.flatMap((block) => (block === null ? [] : [wireBlock(block)])) }
  }
  const [, kind, key = '', what = ''] = path.split('/')
  if (kind === 'block-height') return textOf(chain.at(Number(key)), (block) => shown(block.hash))
  if (kind === 'block') return ofBlock(chain.byHash(key), what)
  if (kind !== 'tx') return null
  const found = chain.byTransaction(key)
  if (found === null) return null
  if (what === 'hex') return { text: Buffer.from(found.transaction.bytes).toString('hex') }
  const { height, hash, timestamp } = found.block
  const status = { confirmed: true, block_height: height, block_hash: shown(hash), block_time: timestamp }
  return what === 'status' ? { json: status } : null
}

function ofBlock(block: Block | null, what: string): ServiceReply | null {
  if (block === null) return null
  if (what === '') return { json: wireBlock(block) }
  if (what === 'header') return { text: block.header.toString('hex') }
  return what === 'txids' ? { json: block.transactions.map(({ id }) => shown(id)) } : null
}

function textOf(block: Block | null, read: (block: Block) => string): ServiceReply | null {
  return block === null ? null : { text: read(block) }
}

function wireBlock({ height, hash, header, timestamp, medianTime, nonce, merkleRoot, previous, transactions }: Block) {
  const size = transactions.reduce((sum, { bytes }) => sum + bytes.length, 81)
  const bare = transactions.reduce((sum, { bareLength }) => sum + bareLength, 81)
  return {
    ...{ id: shown(hash), height, version: header.readInt32LE(0), timestamp, mediantime: medianTime, nonce },
    ...{ tx_count: transactions.length, size, weight: 3 * bare + size, merkle_root: shown(merkleRoot) },
    ...{ previousblockhash: previous === null ? null : shown(previous), bits: regtestBits, difficulty },
  }
}
