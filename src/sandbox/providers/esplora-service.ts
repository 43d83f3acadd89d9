import type { BitcoinCodec } from '../../domain/ports/bitcoin.ts'
import { type Block, type RegtestChain, regtestBits } from '../bitcoin/chain.ts'
import {
  type ChainFacts,
  coinsOf,
  createChainFacts,
  transactionsOf,
  wireAddress,
  wireOutspends,
  wireStatus,
  wireTransaction,
  wireUtxos,
} from '../bitcoin/facts.ts'
import { displayed } from '../bitcoin/transactions.ts'
import type { Service, ServiceReply } from '../provider-server/server.ts'

/** A Bitcoin chain in the format of Esplora. `now` returns the time in seconds since 1970. */
export function esploraService(chain: RegtestChain, codec: BitcoinCodec, now: () => number): Service {
  const factsOf = createChainFacts(chain, codec)
  return {
    prefix: '/bitcoin',
    async respond({ method, path }) {
      if (method !== 'GET') return null
      const tip = await chain.tip(now())
      return fromBlocks(chain, tip, path) ?? fromIndex(() => factsOf(tip), codec, path)
    },
  }
}

/** The difficulty of regtest's target. */
const difficulty = 4.6565423739069247e-10
const fees = { '1': 2.5, '2': 2, '3': 1.5, '6': 1.2, '144': 1, '1008': 1 }

function fromBlocks(chain: RegtestChain, tip: Block, path: string): ServiceReply | null {
  if (path === '/blocks/tip/hash') return { text: displayed(tip.hash) }
  if (path === '/blocks/tip/height') return { text: String(tip.height) }
  if (path === '/fee-estimates') return { json: fees }
  if (path === '/mempool') return { json: { count: 0, vsize: 0, total_fee: 0, fee_histogram: [] } }
  const [, kind, key = '', what = ''] = path.split('/')
  if (kind === 'block-height') return textOf(chain.at(Number(key)), (block) => displayed(block.hash))
  if (kind === 'block') return ofBlock(chain.byHash(key), what)
  if (kind === 'blocks' && /^\d{0,9}$/.test(key)) {
    const from = key === '' ? tip.height : Math.min(Number(key), tip.height)
    const newest = Array.from({ length: Math.min(10, from + 1) }, (_, back) => chain.at(from - back))
    return { json: newest.flatMap((block) => (block === null ? [] : [wireBlock(block)])) }
  }
  if (kind !== 'tx' || what !== 'hex') return null
  const found = chain.byTransaction(key)
  return found === null ? null : { text: Buffer.from(found.transaction.bytes).toString('hex') }
}

/** Serves what needs an index of all transactions. */
function fromIndex(read: () => ChainFacts, codec: BitcoinCodec, path: string): ServiceReply | null {
  const [, kind, key = '', what = '', chained, after] = path.split('/')
  if (kind !== 'tx' && kind !== 'address') return null
  const facts = read()
  if (kind === 'tx') {
    const mined = facts.mined.find(({ parts }) => parts.txid === key)
    if (mined === undefined) return null
    if (what === '') return { json: wireTransaction(facts, mined) }
    if (what === 'status') return { json: wireStatus(mined) }
    return what === 'outspends' ? { json: wireOutspends(facts, mined) } : null
  }
  const coins = coinsOf(facts, key, codec)
  if (coins === null) return { status: 400, text: 'Address on invalid network' }
  if (what === '') return { json: wireAddress(key, coins) }
  if (what === 'utxo') return { json: wireUtxos(coins) }
  if (what !== 'txs') return null
  const all = transactionsOf(coins)
  const begin = chained === 'chain' && after !== undefined ? all.findIndex(({ parts }) => parts.txid === after) + 1 : 0
  return { json: all.slice(begin, begin + 25).map((mined) => wireTransaction(facts, mined)) }
}

function ofBlock(block: Block | null, what: string): ServiceReply | null {
  if (block === null) return null
  if (what === '') return { json: wireBlock(block) }
  if (what === 'header') return { text: block.header.toString('hex') }
  return what === 'txids' ? { json: block.transactions.map(({ id }) => displayed(id)) } : null
}

function textOf(block: Block | null, read: (block: Block) => string): ServiceReply | null {
  return block === null ? null : { text: read(block) }
}

function wireBlock({ height, hash, header, timestamp, medianTime, nonce, merkleRoot, previous, transactions }: Block) {
  const size = transactions.reduce((sum, { bytes }) => sum + bytes.length, 81)
  const bare = transactions.reduce((sum, { bareLength }) => sum + bareLength, 81)
  return {
    id: displayed(hash),
    height,
    version: header.readInt32LE(0),
    timestamp,
    mediantime: medianTime,
    nonce,
    tx_count: transactions.length,
    size,
    weight: 3 * bare + size,
    merkle_root: displayed(merkleRoot),
    previousblockhash: previous === null ? null : displayed(previous),
    bits: regtestBits,
    difficulty,
  }
}
