import type { contract } from '../../contract/index.ts'
import { bitcoinOperations } from '../../contract/tools/bitcoin.ts'
import { bitcoinTools } from '../../contract/tools/bitcoin-tool-table.ts'
import { operationTool } from '../../contract/tools/operation-tool.ts'
import { describeTools } from '../../contract/tools/tool-table.ts'
import { isAbortOf } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { BitcoinFee } from '../ports/bitcoin.ts'
import { runBitcoinTool } from './bitcoin-tools.ts'
import { checkedCall, presentTool } from './tool-call.ts'

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
