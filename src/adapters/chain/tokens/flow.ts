import {
  type Abi,
  type AbiEvent,
  type Address,
  getAbiItem,
  getAddress,
  type Hex,
  numberToHex,
  toEventSelector,
} from 'viem'
import { type FlowFacts, sameAddress, type TokenMove } from '../../../domain/ports/chains.ts'
import { isSilence } from '../../node/errors/failures.ts'
import type { PoolBook } from '../pools/pool-book.ts'
import { transferTopic, v2Abi, v3Abi } from '../reads/abis.ts'
import { type Connection, readHead } from '../reads/connection.ts'
import { soundTokens } from '../reads/deployment.ts'
import { readAll } from '../reads/multicall.ts'
import { tokenViews } from '../reads/views.ts'

/** How many blocks to search; fewer where the node refuses the range. */
const lookbacks = [300n, 75n, 15n] as const

/** The transfers of a token in recent blocks, which of them were swaps, and the supply. */
export async function readFlow(connection: Connection, book: PoolBook, token: Address): Promise<FlowFacts> {
  const block = await readHead(connection)
  const others = soundTokens(connection.deployment).map((known) => known.address)
  const found = await book.find(
    others.filter((other) => !sameAddress(other, token)).map((other): [Address, Address] => [token, other]),
    block,
  )
  const pools = found.map(({ address }) => address)
  const [[supply = null, ...held], recent] = await Promise.all([
    readAll(
      connection,
      [tokenViews.totalSupply(token), ...pools.map((pool) => tokenViews.balanceOf(token, pool))],
      block,
    ),
    readMoves(connection, token, pools, block.number),
  ])
  const holdings = pools.map((pool, index) => ({ pool, held: held[index] ?? null }))
  return {
    block,
    supply,
    pools: holdings,
    ...(supply === null ? { moves: [], fromBlock: block.number } : recent),
  }
}

async function readMoves(connection: Connection, token: Address, pools: Address[], toBlock: bigint) {
  const first = BigInt(connection.deployment.first_traded_block ?? 0)
  let fromBlock = toBlock
  for (const lookback of lookbacks) {
    const start = toBlock - lookback + 1n
    fromBlock = start > first ? start : first
    if (fromBlock > toBlock) return { moves: [], fromBlock: toBlock + 1n } // nothing was traded yet
    const moves = await movesIn(connection, token, pools, fromBlock, toBlock)
    if (moves !== null) return { moves, fromBlock }
  }
  return { moves: null, fromBlock }
}

const swapTopics = [v2Abi, v3Abi].map((abi) =>
  toEventSelector(getAbiItem({ abi: abi as Abi, name: 'Swap' }) as AbiEvent),
)

type Log = { topics: readonly Hex[]; data: Hex; transactionHash: Hex; blockNumber: Hex }

/** Null where the node refuses the range. The logs are read by their topics: decoding each by its ABI takes far longer. */
async function movesIn(
  { call }: Connection,
  token: Address,
  pools: Address[],
  first: bigint,
  last: bigint,
): Promise<TokenMove[] | null> {
  const range = { fromBlock: numberToHex(first), toBlock: numberToHex(last) }
  const logsOf = async (address: Address | Address[], topic: Hex | Hex[]) =>
    (await call('eth_getLogs', [{ address, topics: [topic], ...range }])) as Log[]
  try {
    const [transfers, swaps] = await Promise.all([
      logsOf(token, transferTopic),
      pools.length === 0 ? [] : logsOf(pools, swapTopics),
    ])
    const swapTransactions = new Set(swaps.map(({ transactionHash }) => transactionHash))
    // A token may emit the event in another layout; such a transfer names no accounts.
    const plain = transfers.filter(({ topics, data }) => topics.length === 3 && data.length >= 66)
    return plain.map(({ topics, data, transactionHash, blockNumber }) => ({
      from: addressIn(topics[1]),
      to: addressIn(topics[2]),
      value: BigInt(data.slice(0, 66)),
      transaction: transactionHash,
      block: Number(blockNumber),
      swapped: swapTransactions.has(transactionHash),
    }))
  } catch (error) {
    if (isSilence(error)) throw error
    return null
  }
}

function addressIn(topic = '0x'): Address {
  return getAddress(`0x${topic.slice(-40)}`)
}
