import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'

/** A transaction as its bytes say it, with Esplora's names; nobody is asked whether it was mined. */
export const decodeBitcoinTransaction: Handler<typeof contract.tools.decodeBitcoinTransaction, 'bitcoin'> = async (
  { bitcoin },
  { raw_tx, network },
) => {
  const { inputs, outputs, ...transaction } = bitcoin.decode(raw_tx, network)
  return {
    ...transaction,
    network,
    vin: inputs.map(({ txid, vout, scriptSig, scriptSigAsm, witness, isCoinbase, sequence }) => ({
      ...{ txid, vout, scriptsig: scriptSig, scriptsig_asm: scriptSigAsm },
      ...{ witness: [...witness], is_coinbase: isCoinbase, sequence },
    })),
    vout: outputs.map(({ script, scriptAsm, kind, address, value }) => ({
      ...{ scriptpubkey: script, scriptpubkey_asm: scriptAsm, scriptpubkey_type: kind },
      ...(address === null ? {} : { scriptpubkey_address: address }),
      value,
    })),
  }
}
