import type { BitcoinCodec, BitcoinOutput, BitcoinTransaction } from '../../domain/ports/bitcoin.ts'
import type { Block, RegtestChain } from './chain.ts'
import { displayed, type Transaction } from './transactions.ts'

/** A decoded transaction and its block. */
type Mined = { block: Block; parts: BitcoinTransaction }

/** An output of the chain at an index of its transaction, and the input that spent it. */
type Coin = { output: BitcoinOutput; mined: Mined; index: number; spender: { mined: Mined; index: number } | null }

/** The index of a chain up to a block: its transactions in order, and each output by `txid:index`. */
export type ChainFacts = { mined: readonly Mined[]; coins: ReadonlyMap<string, Coin> }

/** Creates the function that indexes a chain up to its tip. Every transaction is decoded once. */
export function createChainFacts(chain: RegtestChain, codec: BitcoinCodec): (tip: Block) => ChainFacts {
  const decoded = new WeakMap<Transaction, BitcoinTransaction>()
  let cached: { tip: Block; facts: ChainFacts } | null = null

  function partsOf(transaction: Transaction): BitcoinTransaction {
    const parts = decoded.get(transaction) ?? codec.decode(Buffer.from(transaction.bytes).toString('hex'), 'regtest')
    decoded.set(transaction, parts)
    return parts
  }

  return (tip) => {
    if (cached?.tip === tip) return cached.facts
    const mined: Mined[] = []
    const coins = new Map<string, Coin>()
    for (let height = 0; height <= tip.height; height += 1) {
      const block = chain.at(height)
      for (const transaction of block?.transactions ?? []) {
        const one: Mined = { block: block as Block, parts: partsOf(transaction) }
        mined.push(one)
        for (const [index, input] of one.parts.inputs.entries()) {
          const coin = coins.get(`${input.txid}:${input.vout}`)
          if (coin !== undefined) coin.spender = { mined: one, index }
        }
        for (const [index, output] of one.parts.outputs.entries())
          coins.set(`${one.parts.txid}:${index}`, { output, mined: one, index, spender: null })
      }
    }
    cached = { tip, facts: { mined, coins } }
    return cached.facts
  }
}

/** The status of a mined transaction in the format of Esplora. */
export function wireStatus({ block }: Mined) {
  const { height, hash, timestamp } = block
  return { confirmed: true, block_height: height, block_hash: displayed(hash), block_time: timestamp }
}

/** A transaction with the outputs that it spends, in the format of Esplora. */
export function wireTransaction({ coins }: ChainFacts, mined: Mined) {
  const { txid, version, locktime, size, weight, inputs, outputs } = mined.parts
  const spent = inputs.map(({ txid: id, vout }) => coins.get(`${id}:${vout}`)?.output ?? null)
  const isReward = inputs[0]?.isCoinbase === true
  const sum = (some: readonly (BitcoinOutput | null)[]) => some.reduce((total, one) => total + (one?.value ?? 0), 0)
  return {
    txid,
    version,
    locktime,
    size,
    weight,
    fee: isReward ? 0 : sum(spent) - sum(outputs),
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

function wireOutput(output: BitcoinOutput | null) {
  if (output === null) return null
  const { script, scriptAsm, kind, address, value } = output
  const named = address === null ? {} : { scriptpubkey_address: address }
  return { scriptpubkey: script, scriptpubkey_asm: scriptAsm, scriptpubkey_type: kind, ...named, value }
}

/** The inputs that spent the outputs of a transaction, in the format of Esplora. */
export function wireOutspends({ coins }: ChainFacts, { parts }: Mined) {
  return parts.outputs.map((_, index) => {
    const spender = coins.get(`${parts.txid}:${index}`)?.spender ?? null
    if (spender === null) return { spent: false }
    return { spent: true, txid: spender.mined.parts.txid, vin: spender.index, status: wireStatus(spender.mined) }
  })
}

/** The coins of an address; null where it is not a regtest address. */
export function coinsOf({ coins }: ChainFacts, address: string, codec: BitcoinCodec): Coin[] | null {
  const described = codec.describeAddress(address)
  if (!described.valid || !described.networks.includes('regtest')) return null
  return [...coins.values()].filter(({ output }) => output.script === described.script)
}

/** The statistics of an address in the format of Esplora. */
export function wireAddress(address: string, coins: readonly Coin[]) {
  const spent = coins.filter(({ spender }) => spender !== null)
  const sum = (some: readonly Coin[]) => some.reduce((total, { output }) => total + output.value, 0)
  const none = { funded_txo_count: 0, funded_txo_sum: 0, spent_txo_count: 0, spent_txo_sum: 0, tx_count: 0 }
  const stats = {
    funded_txo_count: coins.length,
    funded_txo_sum: sum(coins),
    spent_txo_count: spent.length,
    spent_txo_sum: sum(spent),
    tx_count: transactionsOf(coins).length,
  }
  return { address, chain_stats: stats, mempool_stats: none }
}

export function wireUtxos(coins: readonly Coin[]) {
  return coins
    .filter(({ spender }) => spender === null)
    .map(({ mined, index, output }) => ({
      txid: mined.parts.txid,
      vout: index,
      value: output.value,
      status: wireStatus(mined),
    }))
}

/** Transactions that pay or spend the coins, newest first. */
export function transactionsOf(coins: readonly Coin[]): Mined[] {
  const all = new Set(coins.flatMap(({ mined, spender }) => [mined, ...(spender === null ? [] : [spender.mined])]))
  return [...all].sort((left, right) => right.block.height - left.block.height)
}
