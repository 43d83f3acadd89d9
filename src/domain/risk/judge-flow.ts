import type { FlowFacts, TokenMove } from '../ports/chains.ts'
import { judgeMeasure, measures, type RiskLimits, unjudged } from './risk-limits.ts'
import { type CheckResult, concluded } from './risk-rules.ts'

const fromNowhere = /^0x0{40}$/

const noLogs =
  'The nodes of the chain return no logs of recent blocks, which this check needs. Set CHAIN_RPC_URL to a node that serves eth_getLogs.'

/** Compares the largest sale and purchase with what the pools hold, and the largest transfer with the supply. */
export function judgeFlow(facts: FlowFacts, limits: RiskLimits): CheckResult {
  const most = limits.maxWhaleBps
  const range = {
    from_block: Math.min(Number(facts.fromBlock), Number(facts.block.number)),
    to_block: Number(facts.block.number),
    blocks: Number(facts.block.number - facts.fromBlock) + 1,
    block: Number(facts.block.number),
    source: 'Transfer and Swap logs of the chain',
  }
  const unmade = (flag: string, says: string) =>
    concluded([{ verdict: 'unknown', score: 50, flag, says }, ...unjudged('whale_flow', limits)], range)
  const depth = facts.pools.reduce((sum, { held }) => sum + (held ?? 0n), 0n)
  if (facts.supply === null || facts.supply === 0n) return unmade('no_supply', 'The address is not a token.')
  if (facts.pools.some(({ held }) => held === null))
    return unmade('pool_unreadable', 'The token did not return what each of its pools holds.')
  if (depth === 0n) return unmade('no_pool', 'No known pool holds the token.')
  if (facts.moves === null) return unmade('no_logs', noLogs)

  const { sales, purchases, transfers } = sorted(
    facts.moves,
    new Set(facts.pools.map(({ pool }) => pool.toLowerCase())),
  )
  const [sale, purchase, transfer] = [largest(sales), largest(purchases), largest(transfers)]
  const saleBps = share(sale, depth)
  const purchaseBps = share(purchase, depth)
  const transferBps = share(transfer, facts.supply)
  const blocks = `in the ${range.blocks} blocks to ${range.to_block}`
  const findings = [
    ...judgeMeasure(
      measures.sale,
      saleBps,
      most,
      (bps) => `A sale of ${bps} basis points of what the pools hold ${blocks}.`,
    ),
    ...judgeMeasure(
      measures.purchase,
      purchaseBps,
      most,
      (bps) => `A purchase of ${bps} basis points of what the pools hold ${blocks}.`,
    ),
    ...judgeMeasure(
      measures.transfer,
      transferBps,
      most,
      (bps) => `A transfer of ${bps} basis points of the supply ${blocks}.`,
    ),
  ]
  return concluded(findings, {
    ...range,
    transfers: facts.moves.length,
    sales: sales.length,
    purchases: purchases.length,
    largest_sale_bps_of_pools: saleBps,
    largest_purchase_bps_of_pools: purchaseBps,
    largest_transfer_bps_of_supply: transferBps,
    largest_sale: evidence(sale),
    largest_purchase: evidence(purchase),
    largest_transfer: evidence(transfer),
  })
}

/** A move into a pool without a swap is liquidity; a move from or to the zero address is minted or burned. Neither counts. */
function sorted(moves: readonly TokenMove[], pools: ReadonlySet<string>) {
  const isPool = (address: string) => pools.has(address.toLowerCase())
  const ends = ({ from, to }: TokenMove) => [from, to]
  return {
    sales: moves.filter((move) => move.swapped && isPool(move.to) && !isPool(move.from)),
    purchases: moves.filter((move) => move.swapped && isPool(move.from) && !isPool(move.to)),
    transfers: moves.filter((move) => !ends(move).some((end) => isPool(end) || fromNowhere.test(end))),
  }
}

function largest(moves: readonly TokenMove[]): TokenMove | null {
  return moves.reduce<TokenMove | null>((most, move) => (most === null || move.value > most.value ? move : most), null)
}

function share(move: TokenMove | null, whole: bigint): number {
  return Number(((move?.value ?? 0n) * 10_000n) / whole)
}

function evidence(move: TokenMove | null): Record<string, unknown> | null {
  if (move === null) return null
  const { transaction, block, from, to, value } = move
  return { transaction, block, from, to, smallest_units: value.toString() }
}
