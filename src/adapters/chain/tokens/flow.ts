import { type Address, getAbiItem, type Hex } from 'viem'
import { type FlowFacts, sameAddress, type TokenMove } from '../../../domain/ports/chains.ts'
import { isSilence } from '../../node/errors/failures.ts'
import { tokenAbi, v2Abi, v3Abi } from '../reads/abis.ts'
import { type Connection, readHead } from '../reads/connection.ts'
import { soundTokens } from '../reads/deployment.ts'
import { readAll } from '../reads/multicall.ts'
import type { PoolBook } from '../reads/pools.ts'
import { tokenViews } from '../reads/views.ts'

/** How many blocks to search; fewer where the node refuses the range. */
const lookbacks = [300n, 75n, 15n] as const

/** The transfers of a token in recent blocks, which of them were swaps, and the supply. */
export async function readFlow(connection: Connection, book: PoolBook, token: Address): Promise<FlowFacts> {
  const block = await readHead(connection)
  const others = soundTokens(connection.deployment).map((known) => known.address)
  const found = await book.find(
    others.filter((other) => !sameAddress(other, token)).map((other): [Address, Address] => [token, other]),
    block.number,
  )
  const [supply = null, ...held] = await readAll(
    connection,
    [tokenViews.totalSupply(token), ...found.map((pool) => tokenViews.balanceOf(token, pool.address))],
    block.number,
  )
  const pools = found.map(({ address }, index) => ({ pool: address, held: held[index] ?? null }))
  const recent =
    supply === null
      ? { moves: [], fromBlock: block.number }
      : await readMoves(
          connection,
          token,
          pools.map(({ pool }) => pool),
          block.number,
        )
  return { block, supply, pools, ...recent }
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

/** Null where the node refuses the range. */
async function movesIn(
  { client }: Connection,
  token: Address,
  pools: Address[],
  fromBlock: bigint,
  toBlock: bigint,
): Promise<TokenMove[] | null> {
  const transfer = getAbiItem({ abi: tokenAbi, name: 'Transfer' })
  const swaps = [getAbiItem({ abi: v2Abi, name: 'Swap' }), getAbiItem({ abi: v3Abi, name: 'Swap' })]
  try {
    const [transfers, swapLogs] = await Promise.all([
      client.getLogs({ address: token, event: transfer, fromBlock, toBlock, strict: true }),
      pools.length === 0 ? [] : client.getLogs({ address: pools, events: swaps, fromBlock, toBlock }),
    ])
    const swapTransactions = new Set<Hex>(swapLogs.map((log) => log.transactionHash))
    return transfers.map(({ args, transactionHash, blockNumber }) => ({
      from: args.from,
      to: args.to,
      value: args.value,
      transaction: transactionHash,
      block: Number(blockNumber),
      swapped: swapTransactions.has(transactionHash),
    }))
  } catch (error) {
    if (isSilence(error)) throw error
    return null
  }
}
