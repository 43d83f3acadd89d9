import type { BitcoinCodec, BitcoinOutput, BitcoinTransaction } from '../../domain/ports/bitcoin.ts'
import type { Block, RegtestChain } from '../bitcoin/chain.ts'
import { displayed, type Transaction } from '../bitcoin/transactions.ts'
import type { Service, ServiceReply } from '../provider-server/server.ts'

type Decode = (transaction: Transaction) => BitcoinTransaction

/** A decoded transaction, its encoding and its block. */
type Mined = { block: Block; bytes: Uint8Array; parts: BitcoinTransaction }

/** An output of the chain at an index of its transaction, and the input that spent it. */
type Coin = { output: BitcoinOutput; mined: Mined; index: number; spender: { mined: Mined; index: number } | null }

/** The index of a chain up to a block: its transactions by id, and each output by `txid:index`. */
type ChainFacts = { mined: ReadonlyMap<string, Mined>; coins: ReadonlyMap<string, Coin> }

/** A Bitcoin chain in the format of Esplora. `now` returns the time in seconds since 1970. */
export function esploraService(chain: RegtestChain, codec: BitcoinCodec, now: () => number): Service {
  const decoded = new WeakMap<Transaction, BitcoinTransaction>()
  let cached: { tip: Block; facts: ChainFacts } | null = null

  /** Every transaction is decoded once. */
  const decode: Decode = (transaction) => {
    const parts = decoded.get(transaction) ?? codec.decode(hexOf(transaction.bytes), 'regtest')
    decoded.set(transaction, parts)
    return parts
  }
  function factsAt(tip: Block): ChainFacts {
    if (cached?.tip !== tip) cached = { tip, facts: indexed(chain, tip, decode) }
    return cached.facts
  }

  return {
    prefix: '/bitcoin',
    async respond({ method, path }) {
      if (method !== 'GET') return null
      const tip = await chain.tip(now())
      const [, kind, key = '', what = '', , after] = path.split('/')
      if (kind === 'tx') return ofTransaction(factsAt(tip), key, what)
      if (kind === 'address') return ofAddress(factsAt(tip), codec, key, what, after)
      return ofBlocks(chain, tip, decode, path)
    },
  }
}

function indexed(chain: RegtestChain, tip: Block, decode: Decode): ChainFacts {
  const mined = new Map<string, Mined>()
  const coins = new Map<string, Coin>()
  for (let height = 0; height <= tip.height; height += 1) {
    const block = chain.at(height)
    for (const transaction of block?.transactions ?? []) {
      const one: Mined = { block: block as Block, bytes: transaction.bytes, parts: decode(transaction) }
      const { txid, inputs, outputs } = one.parts
      mined.set(txid, one)
      for (const [index, input] of inputs.entries()) {
        const coin = coins.get(`${input.txid}:${input.vout}`)
        if (coin !== undefined) coin.spender = { mined: one, index }
      }
      for (const [index, output] of outputs.entries())
        coins.set(`${txid}:${index}`, { output, mined: one, index, spender: null })
    }
  }
  return { mined, coins }
}

/** The difficulty of regtest's target. */
const difficulty = 4.6565423739069247e-10
const fees = { '1': 2.5, '2': 2, '3': 1.5, '6': 1.2, '144': 1, '1008': 1 }

function ofBlocks(chain: RegtestChain, tip: Block, decode: Decode, path: string): ServiceReply | null {
  if (path === '/blocks/tip/hash') return { text: displayed(tip.hash) }
  if (path === '/fee-estimates') return { json: fees }
  if (path === '/mempool') return { json: { count: 0, vsize: 0, total_fee: 0 } }
  const [, kind, key = '', what = ''] = path.split('/')
  if (kind === 'blocks' && /^\d{0,9}$/.test(key)) {
    const from = key === '' ? tip.height : Math.min(Number(key), tip.height)
    const newest = Array.from({ length: Math.min(10, from + 1) }, (_, back) => chain.at(from - back))
    return { json: newest.flatMap((block) => (block === null ? [] : [wireBlock(block, decode)])) }
  }
  const block = kind === 'block-height' ? chain.at(Number(key)) : kind === 'block' ? chain.byHash(key) : null
  if (block === null) return null
  if (kind === 'block-height') return { text: displayed(block.hash) }
  if (what === '') return { json: wireBlock(block, decode) }
  if (what === 'header') return { text: hexOf(block.header) }
  return what === 'txids' ? { json: block.transactions.map(({ id }) => displayed(id)) } : null
}

function ofTransaction(facts: ChainFacts, id: string, what: string): ServiceReply | null {
  const mined = facts.mined.get(id)
  if (mined === undefined) return null
  if (what === '') return { json: wireTransaction(facts, mined) }
  if (what === 'hex') return { text: hexOf(mined.bytes) }
  if (what === 'status') return { json: wireStatus(mined) }
  return what === 'outspends' ? { json: wireOutspends(facts, mined) } : null
}

function ofAddress(
  facts: ChainFacts,
  codec: BitcoinCodec,
  address: string,
  what: string,
  after?: string,
): ServiceReply | null {
  const described = codec.describeAddress(address)
  if (!described.valid || !described.networks.includes('regtest'))
    return { status: 400, text: 'Address on invalid network' }
  const coins = [...facts.coins.values()].filter(({ output }) => output.script === described.script)
  if (what === 'utxo') return { json: wireUtxos(coins) }
  // Transactions that pay or spend the coins, newest first.
  const all = [...new Set(coins.flatMap(({ mined, spender }) => [mined, spender?.mined ?? []].flat()))]
  all.sort((left, right) => right.block.height - left.block.height)
  if (what === '') return { json: wireAddress(address, coins, all.length) }
  if (what !== 'txs') return null
  const begin = all.findIndex(({ parts }) => parts.txid === after) + 1
  return { json: all.slice(begin, begin + 25).map((mined) => wireTransaction(facts, mined)) }
}

function wireBlock({ height, hash, header, medianTime, transactions }: Block, decode: Decode) {
  const parts = transactions.map(decode)
  return {
    id: displayed(hash),
    height,
    version: header.readInt32LE(0),
    timestamp: header.readUInt32LE(68),
    mediantime: medianTime,
    nonce: header.readUInt32LE(76),
    tx_count: transactions.length,
    // The header, and the number of transactions in one byte.
    size: parts.reduce((sum, { size }) => sum + size, 81),
    weight: parts.reduce((sum, { weight }) => sum + weight, 4 * 81),
    merkle_root: displayed(header.subarray(36, 68)),
    previousblockhash: height === 0 ? null : displayed(header.subarray(4, 36)),
    bits: header.readUInt32LE(72),
    difficulty,
  }
}

function wireStatus({ block: { height, hash, header } }: Mined) {
  const [block_hash, block_time] = [displayed(hash), header.readUInt32LE(68)]
  return { confirmed: true, block_height: height, block_hash, block_time }
}

/** A transaction with the outputs that it spends. */
function wireTransaction({ coins }: ChainFacts, mined: Mined) {
  const { txid, version, locktime, size, weight, inputs, outputs } = mined.parts
  const spent = inputs.map(({ txid: id, vout }) => coins.get(`${id}:${vout}`)?.output ?? null)
  const isReward = inputs[0]?.isCoinbase === true
  return {
    txid,
    version,
    locktime,
    size,
    weight,
    fee: isReward ? 0 : satoshiOf(spent) - satoshiOf(outputs),
    vin: inputs.map((input, index) => ({
      txid: input.txid,
      vout: input.vout,
      prevout: wireOutput(spent[index] ?? null),
      scriptsig: input.scriptSig,
      scriptsig_asm: input.scriptSigAsm,
      witness: input.witness,
      is_coinbase: input.isCoinbase,
      sequence: input.sequence,
    })),
    vout: outputs.map(wireOutput),
    status: wireStatus(mined),
  }
}

function satoshiOf(outputs: readonly (BitcoinOutput | null)[]): number {
  return outputs.reduce((sum, output) => sum + (output?.value ?? 0), 0)
}

function wireOutput(output: BitcoinOutput | null) {
  if (output === null) return null
  const { script, scriptAsm, kind, address, value } = output
  const named = address === null ? {} : { scriptpubkey_address: address }
  return { scriptpubkey: script, scriptpubkey_asm: scriptAsm, scriptpubkey_type: kind, ...named, value }
}

/** The inputs that spent the outputs of a transaction. */
function wireOutspends({ coins }: ChainFacts, { parts }: Mined) {
  return parts.outputs.map((_, index) => {
    const spender = coins.get(`${parts.txid}:${index}`)?.spender ?? null
    if (spender === null) return { spent: false }
    return { spent: true, txid: spender.mined.parts.txid, vin: spender.index, status: wireStatus(spender.mined) }
  })
}

function wireAddress(address: string, coins: readonly Coin[], transactions: number) {
  const statistics = (funded: readonly Coin[], count: number) => {
    const spent = funded.filter(({ spender }) => spender !== null)
    return {
      funded_txo_count: funded.length,
      funded_txo_sum: satoshiOf(funded.map(({ output }) => output)),
      spent_txo_count: spent.length,
      spent_txo_sum: satoshiOf(spent.map(({ output }) => output)),
      tx_count: count,
    }
  }
  return { address, chain_stats: statistics(coins, transactions), mempool_stats: statistics([], 0) }
}

function wireUtxos(coins: readonly Coin[]) {
  const unspent = coins.filter(({ spender }) => spender === null)
  return unspent.map(({ mined, index, output }) => ({
    txid: mined.parts.txid,
    vout: index,
    value: output.value,
    status: wireStatus(mined),
  }))
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
