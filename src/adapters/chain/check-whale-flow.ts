import { type Address, getAbiItem, type Hex, zeroAddress } from 'viem'
import type { CheckResult } from '../../domain/ports/chains.ts'
import { tokenAbi, v2Abi, v3Abi } from './abis.ts'
import { type Connection, readHead, same } from './connection.ts'
import { isSilence } from './errors.ts'
import { readAll, reading } from './multicall.ts'
import type { PoolBook } from './pools.ts'

const lookbackBlocks = 300n
/** The first blocks of a chain are its making, not its trade. */
const firstTradedBlock = 10n
/** Shares in basis points: a sale against the pools' depth, a transfer against the supply. */
const limits = { saleNoticed: 500n, saleAlarming: 2_500n, transferNoticed: 500n, transferAlarming: 2_000n } as const

type Move = { from: Address; to: Address; value: bigint; transaction: Hex; block: number }

/** Large sales and transfers of a token in recent blocks, against what its pools hold and what there is of it. */
export async function checkWhaleFlow(connection: Connection, book: PoolBook, token: Address): Promise<CheckResult> {
  const block = await readHead(connection)
  const fromBlock = block.number > lookbackBlocks + firstTradedBlock ? block.number - lookbackBlocks : firstTradedBlock
  const others = connection.deployment.tokens.map((known) => known.address).filter((other) => !same(other, token))
  const pools = await book.find(
    others.map((other): [Address, Address] => [token, other]),
    block.number,
  )
  const reads = pools.map((pool) => reading(token, tokenAbi, 'balanceOf', [pool.address]))
  const [supply, ...held] = await readAll(
    connection,
    [reading(token, tokenAbi, 'totalSupply', []), ...reads],
    block.number,
  )
  const depth = held.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n)
  if (supply === null || supply === 0n) return unknown('no_supply', 'The address does not answer as a token.')
  if (depth === 0n) return unknown('no_pool', 'No known pool holds the token.')

  const poolAddresses = pools.map((pool) => pool.address)
  const recent = await readMoves(connection, token, poolAddresses, fromBlock, block.number)
  if (recent === null) return unknown('no_logs', 'The node does not answer the logs of recent blocks.')
  const { moves, swapTransactions, moved } = recent
  const isPool = (address: Address) => poolAddresses.some((pool) => same(pool, address))
  // What goes into a pool without a swap is liquidity, and what comes from nowhere is made, not moved.
  const sales = moves.filter((move) => isPool(move.to) && swapTransactions.has(move.transaction))
  const transfers = moves.filter((move) => ![move.from, move.to].some((end) => isPool(end) || end === zeroAddress))
  const largestSale = largest(sales)
  const largestTransfer = largest(transfers)
  const saleBps = ((largestSale?.value ?? 0n) * 10_000n) / depth
  const transferBps = ((largestTransfer?.value ?? 0n) * 10_000n) / supply
  const flags = [
    ...(saleBps >= limits.saleNoticed ? ['large_sale'] : []),
    ...(transferBps >= limits.transferNoticed ? ['large_transfer'] : []),
  ]
  const alarming = saleBps >= limits.saleAlarming || transferBps >= limits.transferAlarming
  const details = {
    from_block: Math.min(Number(fromBlock), Number(block.number)),
    block: Number(block.number),
    transfers: moved,
    sales: sales.length,
    largest_sale_bps_of_pools: Number(saleBps),
    largest_transfer_bps_of_supply: Number(transferBps),
    largest_sale: evidence(largestSale),
    largest_transfer: evidence(largestTransfer),
  }
  if (alarming) return { verdict: 'fail', score: 80, flags, details }
  return flags.length > 0
    ? { verdict: 'warn', score: 40, flags, details }
    : { verdict: 'pass', score: 0, flags, details }
}

async function readMoves({ client }: Connection, token: Address, pools: Address[], fromBlock: bigint, toBlock: bigint) {
  const transfer = getAbiItem({ abi: tokenAbi, name: 'Transfer' })
  if (fromBlock > toBlock) return { moves: [], moved: 0, swapTransactions: new Set<Hex>() }
  const swaps = [getAbiItem({ abi: v2Abi, name: 'Swap' }), getAbiItem({ abi: v3Abi, name: 'Swap' })]
  try {
    const [transfers, swapLogs] = await Promise.all([
      client.getLogs({ address: token, event: transfer, fromBlock, toBlock, strict: true }),
      client.getLogs({ address: pools, events: swaps, fromBlock, toBlock }),
    ])
    const moves = transfers.map(
      ({ args, transactionHash, blockNumber }): Move => ({
        ...args,
        transaction: transactionHash,
        block: Number(blockNumber),
      }),
    )
    return {
      moves,
      moved: transfers.length,
      swapTransactions: new Set<Hex>(swapLogs.map((log) => log.transactionHash)),
    }
  } catch (error) {
    if (isSilence(error)) throw error
    return null
  }
}

function largest(moves: readonly Move[]): Move | null {
  return moves.reduce<Move | null>((most, move) => (most === null || move.value > most.value ? move : most), null)
}

function evidence(move: Move | null): Record<string, unknown> | null {
  return move === null
    ? null
    : {
        transaction: move.transaction,
        block: move.block,
        from: move.from,
        to: move.to,
        smallest_units: move.value.toString(),
      }
}

function unknown(flag: string, reason: string): CheckResult {
  return { verdict: 'unknown', score: 50, flags: [flag], details: { reason } }
}
