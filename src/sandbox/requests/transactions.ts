import {
  type Hex,
  isHex,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializable,
  type TransactionSerialized,
} from 'viem'
import { insufficientFunds } from '../durable/accept.ts'
import type { Chain } from '../durable/chain.ts'
import { costOf, type Signed, signed } from '../durable/waiting.ts'
import { blockGasLimit } from '../engine/engine.ts'
import { exclusiveLane, exclusiveLanes } from '../kit/exclusive.ts'
import { RpcError } from '../kit/rpc-error.ts'
import { demandModestCalls } from './call-meter.ts'
import { intrinsicGas } from './intrinsic-gas.ts'

/** The size from which nodes commonly refuse a transaction. */
const maxBytes = 131_072

/**
 * Makes the function that takes raw transactions from callers. The engine runs without its own balance check, so what
 * a sender cannot pay is refused here; deposits are the sequencer's alone, and blobs have no place on a rollup.
 */
export function transactionGate(chain: Chain): (raw: unknown) => Promise<Hex> {
  const asTheyCame = exclusiveLane()
  const bySender = exclusiveLanes()
  return async (raw) => {
    const read = await asTheyCame(() => readTransaction(raw))
    const checked = checkTransaction(chain, read)
    checked.catch(() => {}) // Thrown in the lane, once it is this one's turn.
    // The checks run side by side, and their answers come in any order; the chain gets those of a sender as they came,
    // so that a crash between two of them cannot keep the later one only. It is not waited for in the lane.
    const { hash, accepted } = await bySender(read.sender, async () => {
      const transaction = await checked
      return { hash: transaction.hash, accepted: chain.submit(transaction) }
    })
    await accepted
    return hash
  }
}

/** A transaction as it came, and in parts. */
type Read = { raw: Hex; sender: Hex; transaction: TransactionSerializable }

async function readTransaction(raw: unknown): Promise<Read> {
  if (!isHex(raw) || raw.length < 4 || raw.length % 2 !== 0) {
    throw new RpcError(-32602, 'a raw transaction must be hex bytes')
  }
  if (raw.length > 2 + 2 * maxBytes) throw new RpcError(-32003, 'oversized data')
  const canonical = raw.toLowerCase() as Hex
  const type = Number.parseInt(canonical.slice(2, 4), 16)
  if (type < 0xc0 && ![1, 2, 4].includes(type)) {
    throw new RpcError(-32003, `transaction type 0x${canonical.slice(2, 4)} is not accepted`)
  }
  try {
    const transaction = parseTransaction(canonical)
    const sender = await recoverTransactionAddress({ serializedTransaction: canonical as TransactionSerialized })
    return { raw: canonical, sender, transaction }
  } catch {
    throw new RpcError(-32602, 'the raw transaction cannot be decoded')
  }
}

async function checkTransaction(chain: Chain, { raw, sender, transaction }: Read): Promise<Signed> {
  checkIncludable(transaction)
  const { gas = 0n, gasPrice = 0n, maxFeePerGas = gasPrice, value = 0n } = transaction
  await demandFee(chain, sender, maxFeePerGas)
  const cost = costOf(transaction)
  const balance = BigInt(String(await chain.read('eth_getBalance', [sender, 'latest'])))
  if (balance < cost) throw insufficientFunds(`balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`)
  await demandModestCalls(chain, {
    from: sender,
    to: transaction.to ?? null,
    gas,
    value,
    data: transaction.data ?? '0x',
  })
  return signed(raw, sender, transaction.nonce ?? 0, cost)
}

/** The engine takes what no block can ever hold, and keeps it in the way of everything else that its sender sends. */
function checkIncludable(transaction: TransactionSerializable): void {
  const { gas = 0n, type, authorizationList = [] } = transaction
  const least = intrinsicGas(transaction)
  if (gas < least) throw new RpcError(-32003, `intrinsic gas too low: gas ${gas}, minimum needed ${least}`)
  if (gas > BigInt(blockGasLimit)) {
    throw new RpcError(-32003, `exceeds block gas limit: gas ${gas}, limit ${blockGasLimit}`)
  }
  if (type === 'eip7702' && authorizationList.length === 0)
    throw new RpcError(-32003, 'the authorization list is empty')
}

/** No block would take it as it stands, while it cost its sender nothing to have it carried along. */
async function demandFee(chain: Chain, sender: Hex, cap: bigint): Promise<void> {
  const history = (await chain.read('eth_feeHistory', ['0x1', 'latest', []])) as { baseFeePerGas: Hex[] }
  const baseFee = BigInt(history.baseFeePerGas.at(-1) ?? 0)
  if (cap >= baseFee) return
  const told = `address ${sender}, maxFeePerGas: ${cap}, baseFee: ${baseFee}`
  throw new RpcError(-32003, `max fee per gas less than block base fee: ${told}`)
}
