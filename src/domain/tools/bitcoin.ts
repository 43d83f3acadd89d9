import type { contract } from '../../contract/index.ts'
import { bitcoinOperations } from '../../contract/tools/bitcoin.ts'
import { bitcoinTools } from '../../contract/tools/bitcoin-tool-table.ts'
import { operationTool } from '../../contract/tools/operation-tool.ts'
import { type ArgumentsOf, describeTools } from '../../contract/tools/tool-table.ts'
import { DomainError, isAbortOf } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { BitcoinFacts, BitcoinFee } from '../ports/bitcoin.ts'
import type { Ports } from '../ports/index.ts'
import type { Sourced } from '../ports/providers.ts'
import { checkedCall, presentTool, type ToolContext, type ToolRunners } from './tool-call.ts'

/** The tools of Bitcoin that are operations of their own. */
const bitcoinCalls = {
  latest_block: operationTool(bitcoinOperations.latestBitcoinBlock),
  decode_transaction: operationTool(bitcoinOperations.decodeBitcoinTransaction),
  validate_address: operationTool(bitcoinOperations.validateBitcoinAddress),
}

/** The tools of Bitcoin with the schemas of their arguments. */
export const listBitcoin: Handler<typeof contract.tools.listBitcoin> = async () => ({
  tools: describeTools({ ...bitcoinCalls, ...bitcoinTools }),
})

/** Calls a tool of the Bitcoin provider and names the source. */
export const invokeBitcoin: Handler<typeof contract.tools.invokeBitcoin, 'providers'> = async (ports, input, call) => {
  const { name, data } = checkedCall(bitcoinTools, input, call.fail, { ownCalls: bitcoinCalls })
  return presentTool(name, await runBitcoinTool[name](ports, data as never, call)) // checked by the tool's schema
}

/** The newest block that the provider knows, and the fees of the next ones. Fees are empty where their request fails. */
export const latestBitcoinBlock: Handler<typeof contract.tools.latestBitcoinBlock, 'providers'> = async (
  { providers: { bitcoin } },
  _input,
  { signal },
) => {
  const noFees = (failure: unknown): { value: readonly BitcoinFee[] } => {
    if (isAbortOf(signal, failure)) throw failure
    return { value: [] }
  }
  const [{ value: block, source, ageMs }, fees] = await Promise.all([
    bitcoin.latestBlock(signal),
    bitcoin.fees(signal).catch(noFees),
  ])
  const { hash, transactions, medianTime, merkleRoot, previousHash, ...same } = block
  return {
    ...same,
    id: hash,
    tx_count: transactions,
    mediantime: medianTime,
    merkle_root: merkleRoot,
    previousblockhash: previousHash,
    fee_estimates: fees.value.map(({ blocks, satPerVbyte }) => ({ blocks, sat_per_vbyte: satPerVbyte })),
    age_ms: ageMs,
    source,
  }
}

/** A transaction decoded from its bytes, with Esplora's field names. No provider is queried, so it may not be mined. */
export const decodeBitcoinTransaction: Handler<typeof contract.tools.decodeBitcoinTransaction, 'bitcoin'> = async (
  { bitcoin },
  { raw_tx, network },
) => {
  const { inputs, outputs, ...transaction } = bitcoin.decode(raw_tx, network)
  return {
    ...transaction,
    network,
    vin: inputs.map(({ txid, vout, scriptSig, scriptSigAsm, witness, isCoinbase, sequence }) => ({
      txid,
      vout,
      scriptsig: scriptSig,
      scriptsig_asm: scriptSigAsm,
      witness: [...witness],
      is_coinbase: isCoinbase,
      sequence,
    })),
    vout: outputs.map(({ script, scriptAsm, kind, address, value }) => ({
      scriptpubkey: script,
      scriptpubkey_asm: scriptAsm,
      scriptpubkey_type: kind,
      ...(address === null ? {} : { scriptpubkey_address: address }),
      value,
    })),
  }
}

/** The type and the networks of an address, or why the text is not an address. */
export const validateBitcoinAddress: Handler<typeof contract.tools.validateBitcoinAddress, 'bitcoin'> = async (
  { bitcoin },
  { address },
) => {
  const found = bitcoin.describeAddress(address)
  if (!found.valid) return { valid: false, address, networks: [], reason: found.reason }
  const { networks, kind, script } = found
  const [network = 'mainnet'] = networks
  return { valid: true, address, network, networks: [...networks], type: kind, scriptpubkey: script }
}

type Tools = typeof bitcoinTools
type Needs = Pick<Ports, 'providers'>

/** The tools of the Bitcoin provider; results have the provider's own field names. */
const runBitcoinTool: ToolRunners<Needs, { [Name in keyof Tools]: ArgumentsOf<Tools[Name]> }> = {
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
