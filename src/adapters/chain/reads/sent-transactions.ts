import { type Hex, hexToBigInt, numberToHex, pad, slice } from 'viem'
import { DomainError } from '../../../domain/core/errors.ts'
import type { Head, Receipt, SentTransaction } from '../../../domain/ports/chains.ts'
import { sameAddress } from '../../../domain/ports/chains.ts'
import { depositType } from '../../../opstack/deposits.ts'
import { messagesIn } from '../../../opstack/messages.ts'
import { failureIn, isSilence, provesNothing } from '../../node/errors/failures.ts'
import { transferTopic } from './abis.ts'
import type { Connection } from './connection.ts'
import { readReceipt } from './receipts.ts'

/** The most blocks that are read whole, where the node has no states to search by: the embedded chain costs no calls. */
const mostBlocks = { embedded: 20_000n, others: 500n }
/** Blocks that are read at a time. */
const batch = 20
/** The most blocks whose logs are searched. */
const mostLogBlocks = 10_000n

/** The most transactions that are read for what others moved. */
const mostMoved = 64

type Transaction = {
  hash: Hex
  transactionIndex: Hex
  nonce: Hex
  from: Hex
  to: Hex | null
  value: Hex
  type?: Hex
  mint?: Hex
}
type Block = { transactions: readonly Transaction[] }

/** See `Chain.sentBy`. The block of each nonce is searched by the number of transactions of the account. */
export async function sentBy(
  connection: Connection,
  account: Hex,
  { nonces, after, last }: { nonces: readonly number[]; after: { block: bigint; nonce: number }; last: Head },
): Promise<readonly SentTransaction[]> {
  const countAt = createCounts(connection, account)
  const wanted = new Set(nonces)
  const found = new Map<Hex, Transaction>()
  const searched = new Set<string>()
  for (const nonce of nonces.toReversed()) {
    const range = await rangeOf(countAt, nonce, { from: after.block, to: last.number })
    const name = `${range.from}-${range.to}`
    if (searched.has(name)) continue
    searched.add(name)
    const before = range.from === after.block ? after.nonce : await countAt(range.from)
    const count = await countAt(range.to)
    if (count === null || before === null) throw lagging(connection)
    const sent = await sentIn(connection, account, range, count - before)
    // A deposit states no nonce on some nodes, and only its sender can make it.
    for (const one of sent) if (one.type === depositType || wanted.has(Number(one.nonce))) found.set(one.hash, one)
  }
  return await readAll(connection, [...found.values()])
}

/** Returns a function that counts the transactions of an account up to a block; null where the node lacks its state. */
function createCounts({ client }: Connection, address: Hex) {
  const counts = new Map<bigint, Promise<number | null>>()
  return (blockNumber: bigint): Promise<number | null> => {
    const count = counts.get(blockNumber) ?? client.getTransactionCount({ address, blockNumber }).catch(nullIfRefused)
    counts.set(blockNumber, count)
    return count
  }
}

function nullIfRefused(failure: unknown): null {
  if (isSilence(failure)) throw failure
  return null
}

type Range = { from: bigint; to: bigint }

/** The blocks after `from` up to `to` of which one has the nonce: one block, or all those without a state. */
async function rangeOf(countAt: (block: bigint) => Promise<number | null>, nonce: number, { from, to }: Range) {
  let [known, low, high] = [from, from, to]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    const count = await countAt(middle)
    if (count !== null && count > nonce) high = middle
    else {
      low = middle
      if (count !== null) known = middle
    }
  }
  return { from: known, to: high }
}

/**
 * The account's transactions in the blocks of a range, of which there are `wanted`, the newest blocks first. None where those
 * are too far back.
 */
async function sentIn(
  { call, embedded }: Connection,
  account: Hex,
  { from, to }: Range,
  wanted: number,
): Promise<Transaction[]> {
  const most = embedded ? mostBlocks.embedded : mostBlocks.others
  const found: Transaction[] = []
  let next = to
  while (next > from && found.length < wanted) {
    if (to - next >= most) return []
    const numbers = Array.from({ length: batch }, (_, index) => next - BigInt(index)).filter((number) => number > from)
    const blocks = await Promise.all(numbers.map((number) => call('eth_getBlockByNumber', [numberToHex(number), true])))
    for (const block of blocks as (Block | null)[])
      found.push(...(block?.transactions ?? []).filter((one) => sameAddress(one.from, account)))
    next -= BigInt(batch)
  }
  return found
}

type MovingLog = { transactionHash: Hex; data: Hex }

/** See `Chain.movedBetween`. */
export async function movedBetween(
  connection: Connection,
  accounts: readonly Hex[],
  { after, last }: { after: bigint; last: Head },
): Promise<readonly SentTransaction[]> {
  const { call, deployment } = connection
  const first = last.number - after > mostLogBlocks ? last.number - mostLogBlocks : after
  if (first >= last.number || deployment.tokens.length === 0) return []
  const parties = accounts.map((account) => pad(account))
  const filter = {
    address: deployment.tokens.map(({ address }) => address),
    topics: [transferTopic, parties, parties],
    toBlock: numberToHex(last.number),
  }
  const logsAfter = async (block: bigint) =>
    (await call('eth_getLogs', [{ ...filter, fromBlock: numberToHex(block + 1n) }])) as MovingLog[]
  /** Fewer blocks where the nodes say how many they give. */
  const lessIfTooMuch = async (failure: unknown): Promise<MovingLog[]> => {
    if (provesNothing(failure)) throw failure
    const given = BigInt(failureIn(failure)?.details.metadata?.limit ?? 0)
    return given === 0n || given >= last.number - first ? [] : await logsAfter(last.number - given)
  }
  const logs = await logsAfter(first).catch(lessIfTooMuch)
  // Anybody can move nothing between two accounts.
  const moving = logs.filter(({ data }) => data !== '0x' && BigInt(data) > 0n)
  const hashes = [...new Set(moving.map(({ transactionHash }) => transactionHash))].slice(-mostMoved)
  const sent: Transaction[] = []
  for (const hash of hashes) {
    const one = (await call('eth_getTransactionByHash', [hash])) as Transaction | null
    if (one !== null) sent.push(one)
  }
  return await readAll(connection, sent)
}

async function readAll(connection: Connection, transactions: readonly Transaction[]): Promise<SentTransaction[]> {
  const sent: SentTransaction[] = []
  for (const one of transactions) sent.push(await read(connection, one))
  return sent
}

async function read(connection: Connection, transaction: Transaction): Promise<SentTransaction> {
  const { hash, from, to, type, mint } = transaction
  const receipt = await readReceipt(connection, hash)
  if (receipt === null) throw lagging(connection)
  const { blockNumber, blockHash, feeWei, status } = receipt
  const withdrawn = messagesIn(receipt.logs.map((log) => ({ ...log, address: log.address.toLowerCase() as Hex })))
    .filter(({ sender }) => sameAddress(sender, from))
    .reduce((sum, { value }) => sum + value, 0n)
  return {
    ...{ hash, blockNumber, blockHash, from, to, feeWei, withdrawn },
    index: Number(transaction.transactionIndex),
    value: status === 'success' ? hexToBigInt(transaction.value) : 0n,
    minted: type === depositType && mint !== undefined ? hexToBigInt(mint) : 0n,
    transfers: transfersIn(connection, receipt),
  }
}

function lagging({ deployment }: Connection): DomainError {
  return new DomainError('UNAVAILABLE', `A node of the chain ${deployment.name} lags behind. Try again later.`)
}

function transfersIn({ deployment }: Connection, { logs }: Receipt): SentTransaction['transfers'] {
  return logs.flatMap(({ address, topics, data }) => {
    const [topic, from, to] = topics
    const isListed = deployment.tokens.some((token) => sameAddress(token.address, address))
    if (!isListed || topic !== transferTopic || from === undefined || to === undefined || data.length !== 66) return []
    return [{ token: address, from: slice(from, 12), to: slice(to, 12), amount: hexToBigInt(data) }]
  })
}
