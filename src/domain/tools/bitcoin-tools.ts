import type { bitcoinTools } from '../../contract/tools/bitcoin-tool-table.ts'
import type { ArgumentsOf } from '../../contract/tools/tool-table.ts'
import { DomainError } from '../core/errors.ts'
import type { BitcoinFacts } from '../ports/bitcoin.ts'
import type { Ports } from '../ports/index.ts'
import type { Sourced } from '../ports/providers.ts'
import type { ToolContext, ToolRunners } from './tool-call.ts'

type Tools = typeof bitcoinTools
type Needs = Pick<Ports, 'providers'>

/** The tools of the Bitcoin provider; results have the provider's own field names. */
export const runBitcoinTool: ToolRunners<Needs, { [Name in keyof Tools]: ArgumentsOf<Tools[Name]> }> = {
  tip_get: ({ providers }, _given, { signal }) => providers.bitcoin.tip(signal),
  async block_get(ports, { block }, context) {
    return await ports.providers.bitcoin.block(await hashOf(ports, block, context), context.signal)
  },
  async block_header(ports, { block }, context) {
    const hash = await hashOf(ports, block, context)
    const answer = await ports.providers.bitcoin.header(hash, context.signal)
    return { ...answer, value: { id: hash, header: answer.value } }
  },
  async block_transactions(ports, { block, limit }, context) {
    const hash = await hashOf(ports, block, context)
    const answer = await ports.providers.bitcoin.blockTransactions(hash, context.signal)
    return { ...answer, value: { id: hash, txids: answer.value.slice(0, limit), total: answer.value.length } }
  },
  async blocks_list({ providers }, { from_height = null }, { signal }) {
    return rows('blocks', await providers.bitcoin.blocks(from_height, signal))
  },
  transaction_get: ({ providers }, { txid }, { signal }) => providers.bitcoin.transaction(txid.toLowerCase(), signal),
  async transaction_status({ providers }, { txid }, { signal }) {
    const answer = await providers.bitcoin.transactionStatus(txid.toLowerCase(), signal)
    return { ...answer, value: { txid: txid.toLowerCase(), ...answer.value } }
  },
  async transaction_hex({ providers }, { txid }, { signal }) {
    const answer = await providers.bitcoin.transactionHex(txid.toLowerCase(), signal)
    return { ...answer, value: { txid: txid.toLowerCase(), hex: answer.value } }
  },
  async outspends_list({ providers }, { txid, limit }, { signal }) {
    return rows('outspends', await providers.bitcoin.outspends(txid.toLowerCase(), signal), limit)
  },
  address_get: ({ providers }, { address }, { signal }) => providers.bitcoin.address(address, signal),
  async address_utxos({ providers }, { address, limit }, { signal }) {
    return rows('utxos', await providers.bitcoin.utxos(address, signal), limit)
  },
  async address_transactions({ providers }, { address, after_txid = null }, { signal }) {
    const after = after_txid?.toLowerCase() ?? null
    return rows('transactions', await providers.bitcoin.addressTransactions(address, after, signal))
  },
  async fees_get({ providers }, _given, { signal }) {
    const answer = await providers.bitcoin.fees(signal)
    const estimates = answer.value.map(({ blocks, satPerVbyte }) => ({ blocks, sat_per_vbyte: satPerVbyte }))
    return { ...answer, value: { fee_estimates: estimates } }
  },
  mempool_get: ({ providers }, _given, { signal }) => providers.bitcoin.mempool(signal),
}

/** The hash of a block that is given by its hash or its height. */
async function hashOf({ providers }: Needs, block: string | number, { signal, fail }: ToolContext): Promise<string> {
  if (typeof block === 'string') return block.toLowerCase()
  try {
    return (await providers.bitcoin.blockHash(block, signal)).value
  } catch (failure) {
    if (!(failure instanceof DomainError) || failure.code !== 'NOT_FOUND') throw failure
    throw fail('NOT_FOUND', `Block ${block} is not mined yet; tip_get returns the newest one.`, {}, failure)
  }
}

function rows(name: string, answer: Sourced<readonly BitcoinFacts[]>, limit?: number) {
  return { ...answer, value: { [name]: answer.value.slice(0, limit), total: answer.value.length } }
}
