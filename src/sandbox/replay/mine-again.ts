import {
  formatTransaction,
  type Hex,
  keccak256,
  type RpcTransaction,
  serializeTransaction,
  type TransactionSerializable,
} from 'viem'
import { depositType } from '../../opstack/deposits.ts'
import type { BlockStore } from '../blocks/block-store.ts'
import type { WireObject } from '../blocks/whole-block.ts'
import type { Engine } from '../engine/engine.ts'
import type { Deposit } from '../log/records.ts'
import { sendDeposits } from '../pool/deposits.ts'

/**
 * Has an engine at the block before mine a stored block again, so that it can trace its transactions. Throws where the
 * result differs, by the block's hash; of a fork, which knows a part of the state alone, by the roots without that of the
 * state.
 */
export async function mineAgain(
  call: Engine['call'],
  store: BlockStore,
  number: number,
  proof: 'hash' | 'roots',
): Promise<void> {
  const header = store.header(number)
  if (header === undefined) throw new Error(`block ${number} is not stored`)
  const transactions = store.transactions(number).map(({ transaction }) => transaction)
  const isDeposit = ({ type }: WireObject) => type === depositType
  await sendDeposits({ call }, transactions.filter(isDeposit).map(depositOf))
  for (const transaction of transactions)
    if (!isDeposit(transaction)) await call('eth_sendRawTransaction', [rawOf(transaction)])
  await call('anvil_setNextBlockBaseFeePerGas', [header.baseFeePerGas])
  await call('evm_mine', [Number(header.timestamp)])
  const mined = (await call('eth_getBlockByNumber', ['latest', false])) as WireObject
  for (const field of proof === 'hash' ? ['hash'] : ['number', 'transactionsRoot', 'receiptsRoot'])
    if (mined[field] !== header[field]) throw new Error(`block ${number} was mined again with another ${field}`)
}

function depositOf(transaction: WireObject): Deposit {
  const { hash, sourceHash, from, to, mint, value, gas, input } = transaction as Record<string, Hex>
  // Which transaction of the parent chain ordered it does not matter to the engine.
  return { hash, sourceHash, from, to: to ?? null, mint, value, gas, data: input, parentTransaction: null } as Deposit
}

/** A signed transaction as its sender sent it. */
function rawOf(transaction: WireObject): Hex {
  const { input, r, s, v, yParity, ...fields } = formatTransaction(transaction as unknown as RpcTransaction)
  const signature = { r, s, ...(fields.type === 'legacy' ? { v } : { yParity: yParity ?? Number(v) }) }
  const raw = serializeTransaction({ ...fields, data: input } as TransactionSerializable, signature as never)
  if (keccak256(raw) === transaction.hash) return raw
  throw new Error(`transaction ${transaction.hash} cannot be encoded as it was sent`)
}
