import { type Hex, hexToBytes, size, type TransactionSerializable } from 'viem'
import { quantityOf } from '../../kit/hex.ts'
import { once } from '../../kit/once.ts'
import { serialQueue, serialQueues } from '../../kit/queues.ts'
import { depositType } from '../../opstack/deposits.ts'
import type { Chain } from '../chain/chain.ts'
import { maxTracedGas } from '../chain/read-chain.ts'
import { blockGasLimit } from '../engine/engine.ts'
import { CutOffError } from '../engine/side-engine.ts'
import { RpcError } from '../kit/rpc-error.ts'
import { insufficientFunds } from '../pool/admit.ts'
import { costOf, type Signed, signed } from '../pool/pending-pool.ts'
import { attributesGas } from '../rollup/attributes.ts'
import { type Read, readTransaction } from './read-transaction.ts'

/**
 * Creates the function that accepts raw transactions and returns their hashes. The engine runs without its balance check,
 * so unpayable transactions are refused here. Deposits come from the sequencer only, and a rollup has no blobs.
 */
export function transactionGate(chain: Chain): (raw: unknown) => Promise<Hex> {
  const inOrder = serialQueue()
  const bySender = serialQueues().run
  const ownChain = once(async () => BigInt(String(await chain.read('eth_chainId'))))
  return async (raw) => {
    const read = await inOrder(async () => readTransaction(raw, await ownChain()))
    const checked = checkTransaction(chain, read)
    checked.catch(() => {}) // Thrown again in the queue of the sender.
    // Checks run concurrently and finish in any order. The chain gets the transactions of a sender in the order of
    // arrival, so that a crash cannot leave only the later one. The queue does not wait for the disk.
    const { hash, accepted } = await bySender(read.sender, async () => {
      const transaction = await checked
      return { hash: transaction.hash, accepted: chain.submit(transaction) }
    })
    await accepted
    return hash
  }
}

async function checkTransaction(chain: Chain, { raw, sender, transaction }: Read): Promise<Signed> {
  await demandRoom(chain, transaction)
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

/** The engine would accept a transaction that fits no block, and it would block all later ones of its sender. */
async function demandRoom(chain: Chain, transaction: TransactionSerializable): Promise<void> {
  const { gas = 0n, type, to, data = '0x', authorizationList = [] } = transaction
  const least = intrinsicGas(transaction)
  if (gas < least) throw new RpcError(-32003, `intrinsic gas too low: gas ${gas}, minimum needed ${least}`)
  if (!to && size(data) > maxCreationCode)
    throw new RpcError(-32003, `max initcode size exceeded: code size ${size(data)}, limit ${maxCreationCode}`)
  if (type === 'eip7702' && authorizationList.length === 0)
    throw new RpcError(-32003, 'the authorization list is empty')
  const room = gas > roomOfAll ? await roomInBlock(chain) : roomOfAll
  if (gas > room) throw new RpcError(-32003, `exceeds block gas limit: gas ${gas}, limit ${room}`)
}

/** Each block has so much room, whatever the deposit that a rollup block begins with uses of the gas that it may. */
const roomOfAll = BigInt(blockGasLimit - attributesGas)

/** What the own deposit of a later block may use more: its calldata may have fewer zero bytes. */
const depositSlack = 1_500

/** The gas that a block leaves after its own deposit. That of the newest two which uses more is of a new origin. */
async function roomInBlock(chain: Chain): Promise<bigint> {
  const newest = chain.head().number
  const used = await Promise.all([newest, newest - 1].map((number) => gasOfOwnDeposit(chain, Math.max(number, 0))))
  const most = Math.max(...used)
  return BigInt(blockGasLimit - (most === 0 ? 0 : most + depositSlack))
}

async function gasOfOwnDeposit(chain: Chain, number: number): Promise<number> {
  const params = [quantityOf(number), '0x0']
  const first = (await chain.read('eth_getTransactionByBlockNumberAndIndex', params)) as Record<string, Hex> | null
  if (first?.type !== depositType) return 0
  const receipt = (await chain.read('eth_getTransactionReceipt', [first.hash])) as { gasUsed: Hex } | null
  return Number(receipt?.gasUsed ?? 0)
}

/** A transaction below the base fee would stay in the pool without any cost to its sender. */
async function demandFee(chain: Chain, sender: Hex, cap: bigint): Promise<void> {
  const history = (await chain.read('eth_feeHistory', ['0x1', 'latest', []])) as { baseFeePerGas: Hex[] }
  const baseFee = BigInt(history.baseFeePerGas.at(-1) ?? 0)
  if (cap >= baseFee) return
  const figures = `address ${sender}, maxFeePerGas: ${cap}, baseFee: ${baseFee}`
  throw new RpcError(-32003, `max fee per gas less than block base fee: ${figures}`)
}

const perTransaction = 21_000n
const perCreation = 32_000n
const perWordOfInitCode = 2n
const perAccessedAddress = 2_400n
const perAccessedSlot = 1_900n
const perAuthorization = 25_000n
/** The most bytes of creation code (EIP-3860). */
const maxCreationCode = 49_152
/** A zero byte of data counts as one token, any other byte as four. */
const perToken = { intrinsic: 4n, floor: 10n }

/** The fields of a transaction that decide its intrinsic gas. Without `to` it creates a contract. */
type Shape = {
  to?: Hex | null | undefined
  data?: Hex | undefined
  accessList?: readonly { storageKeys: readonly Hex[] }[] | undefined
  authorizationList?: readonly unknown[] | undefined
}

/** The gas that a transaction needs before it runs, with the floor of EIP-7623 for its data. */
export function intrinsicGas({ to, data = '0x', accessList = [], authorizationList = [] }: Shape): bigint {
  const tokens = tokensOf(data)
  const words = BigInt(Math.ceil((data.length - 2) / 64))
  const slots = accessList.reduce((count, { storageKeys }) => count + storageKeys.length, 0)
  const intrinsic =
    perTransaction +
    perToken.intrinsic * tokens +
    (to ? 0n : perCreation + perWordOfInitCode * words) +
    perAccessedAddress * BigInt(accessList.length) +
    perAccessedSlot * BigInt(slots) +
    perAuthorization * BigInt(authorizationList.length)
  const floor = perTransaction + perToken.floor * tokens
  return intrinsic > floor ? intrinsic : floor
}

function tokensOf(data: Hex): bigint {
  let tokens = 0
  for (const byte of hexToBytes(data)) tokens += byte === 0 ? 1 : 4
  return BigInt(tokens)
}

/**
 * The engine stores the input of every call of every transaction, in memory and in snapshots. A loop that passes on a
 * long message costs its sender almost nothing and would use up all memory.
 */
const limits = { calls: 4_000, bytes: 2 * 1_048_576 }

/** With no more gas than this a run cannot reach the limits. */
const harmlessGas = 30_000n

/** A tracer that counts inside the engine and aborts the run beyond the limits. */
const meter = `{ calls: 0, bytes: 0, full: false,
  enter: function (frame) {
    if (this.full) throw new Error('enough');
    this.calls += 1;
    this.bytes += frame.getInput().length;
    this.full = this.calls > ${limits.calls} || this.bytes > ${limits.bytes};
  },
  exit: function (frame) { this.bytes += frame.getOutput().length; this.full = this.full || this.bytes > ${limits.bytes} },
  fault: function () {},
  result: function () { return { full: this.full } } }`

/** The fields of a transaction that decide its run. */
type Run = { from: Hex; to?: Hex | null; gas: bigint; value: bigint; data?: Hex }

/** Throws RpcError for a transaction whose run at the newest block makes too many calls or passes too much data. */
export async function demandModestCalls(chain: Chain, { from, to, gas, value, data }: Run): Promise<void> {
  if (gas <= harmlessGas) return
  const call = { from, ...(to == null ? {} : { to }), value: quantityOf(value), input: data ?? '0x' }
  // Most excessive runs exceed the limits with little gas already, which takes little time to find out. Much data alone
  // needs more than that.
  const isLong = gas > maxTracedGas && intrinsicGas({ to, data }) <= maxTracedGas
  for (const each of isLong ? [maxTracedGas, gas] : [gas])
    if (await isTooMuch(chain, { ...call, gas: quantityOf(BigInt(each)) }, from))
      throw new RpcError(-32003, 'the transaction makes too many calls, or passes them too much data, for this chain')
}

async function isTooMuch(chain: Chain, call: object, sender: Hex): Promise<boolean> {
  try {
    const trace = await chain.read('debug_traceCall', [call, 'latest', { tracer: meter }], { sender })
    return (trace as { full?: unknown } | null)?.full === true
  } catch (error) {
    if (!(error instanceof CutOffError)) throw error
    throw new RpcError(-32003, 'the transaction takes too long to run: try again with less gas')
  }
}
