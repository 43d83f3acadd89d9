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
import { failureIn, provesNothing } from '../../node/errors/failures.ts'
import type { PoolBook } from '../pools/pool-book.ts'
import { transferTopic, v2Abi, v3Abi } from '../reads/abis.ts'
import { type Connection, readHead } from '../reads/connection.ts'
import { soundTokens } from '../reads/deployment.ts'
import { readAll } from '../reads/multicall.ts'
import { tokenViews } from '../reads/views.ts'

/** How many blocks to search; fewer where the node refuses the range and does not say what it gives. */
const lookbacks = [300n, 75n, 15n, 4n, 1n] as const
/** Most calls for the logs of one token: a node may give them in parts of ten blocks only. */
const mostParts = 16

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
  for (let lookback: bigint | undefined = lookbacks[0]; lookback !== undefined; ) {
    const start: bigint = toBlock - lookback + 1n
    fromBlock = start > first ? start : first
    if (fromBlock > toBlock) return { moves: [], fromBlock: toBlock + 1n } // nothing was traded yet
    const read: Awaited<ReturnType<typeof movesIn>> = await movesIn(connection, token, pools, fromBlock, toBlock)
    if ('moves' in read) return { moves: read.moves, fromBlock }
    lookback = read.gives ?? lookbacks.find((fewer) => fewer <= toBlock - fromBlock)
  }
  return { moves: null, fromBlock }
}

const swapTopics = [v2Abi, v3Abi].map((abi) =>
  toEventSelector(getAbiItem({ abi: abi as Abi, name: 'Swap' }) as AbiEvent),
)

type Log = { address: Address; topics: readonly Hex[]; data: Hex; transactionHash: Hex; blockNumber: Hex }

/** The moves, or how many blocks the node would give; null where it does not say. */
type Moves = { moves: TokenMove[] } | { gives: bigint | null }

/** The logs are read in one query and by their topics: decoding each by its ABI takes far longer. */
async function movesIn(
  { call }: Connection,
  token: Address,
  pools: Address[],
  first: bigint,
  last: bigint,
): Promise<Moves> {
  const range = { fromBlock: numberToHex(first), toBlock: numberToHex(last) }
  const filter = { address: [token, ...pools], topics: [[transferTopic, ...swapTopics]], ...range }
  try {
    const logs = (await call('eth_getLogs', [filter], { parts: mostParts })) as Log[]
    const isOfToken = ({ address }: Log) => sameAddress(address, token)
    const swapTransactions = new Set(
      logs
        .filter((log) => !isOfToken(log) && swapTopics.some((topic) => topic === log.topics[0]))
        .map(({ transactionHash }) => transactionHash),
    )
    // A token may emit the event in another layout; such a transfer names no accounts. A pool's shares move too.
    const plain = logs.filter(
      (log) => isOfToken(log) && log.topics[0] === transferTopic && log.topics.length === 3 && log.data.length >= 66,
    )
    const moves = plain.map(({ topics, data, transactionHash, blockNumber }) => ({
      from: addressIn(topics[1]),
      to: addressIn(topics[2]),
      value: BigInt(data.slice(0, 66)),
      transaction: transactionHash,
      block: Number(blockNumber),
      swapped: swapTransactions.has(transactionHash),
    }))
    return { moves }
  } catch (error) {
    if (provesNothing(error)) throw error
    return { gives: givenIn(error, last - first + 1n) }
  }
}

/** How many blocks a refusal says that can be read, fewer than were asked for. */
function givenIn(error: unknown, asked: bigint): bigint | null {
  const limit = failureIn(error)?.details.metadata?.limit
  const blocks = limit === undefined ? asked : BigInt(limit)
  return blocks > 0n && blocks < asked ? blocks : null
}

function addressIn(topic = '0x'): Address {
  return getAddress(`0x${topic.slice(-40)}`)
}
