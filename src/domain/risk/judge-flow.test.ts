import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FlowFacts, Hex, TokenMove } from '../ports/chains.ts'
import { judgeFlow } from './judge-flow.ts'
import type { RiskLimits } from './risk-limits.ts'

const usual: RiskLimits = {
  maxPriceImpactBps: null,
  minLiquidityUsd: null,
  maxTaxBps: null,
  maxPriceDeviationBps: null,
  maxWhaleBps: null,
}
const [pool, ada, bob]: Hex[] = ['0xPOOL'.toLowerCase() as Hex, '0xada', '0xb0b']
const nowhere: Hex = `0x${'0'.repeat(40)}`
const move = (from: Hex, to: Hex, value: bigint, swapped = true): TokenMove => ({
  from,
  to,
  value,
  swapped,
  transaction: '0x1',
  block: 20,
})
const facts = (moves: TokenMove[] | null, more: Partial<FlowFacts> = {}): FlowFacts => ({
  block: { number: 100n, hash: '0x1', timestamp: 1n },
  fromBlock: 51n,
  supply: 100_000n,
  pools: [{ pool: pool!, held: 10_000n }],
  moves,
  ...more,
})
const judge = (given: FlowFacts, maxWhaleBps: number | null = null) => judgeFlow(given, { ...usual, maxWhaleBps })

describe('the flow of a token', () => {
  test.each<[string, TokenMove[], string, string[]]>([
    ['nothing', [], 'pass', []],
    ['a small sale', [move(ada!, pool!, 499n)], 'pass', []],
    ['a sale of a twentieth of the pools', [move(ada!, pool!, 500n)], 'warn', ['large_sale']],
    ['a sale of a quarter of the pools', [move(ada!, pool!, 2_500n)], 'fail', ['large_sale']],
    ['a purchase of all the pools', [move(pool!, ada!, 10_000n)], 'warn', ['large_purchase']],
    ['liquidity that comes and goes', [move(ada!, pool!, 9_000n, false), move(pool!, ada!, 9_000n, false)], 'pass', []],
    ['a transfer of a twentieth of the supply', [move(ada!, bob!, 5_000n, false)], 'warn', ['large_transfer']],
    ['a transfer of a fifth of the supply', [move(ada!, bob!, 20_000n, false)], 'fail', ['large_transfer']],
    [
      'tokens that are minted and burned',
      [move(nowhere, ada!, 90_000n, false), move(ada!, nowhere, 90_000n, false)],
      'pass',
      [],
    ],
  ])('%s', (_name, moves, verdict, flags) => {
    expect(judge(facts(moves))).toMatchObject({ verdict, flags })
  })

  test('is unknown where a pool cannot be read', () => {
    const pools = [
      { pool: pool!, held: 10_000n },
      { pool: ada!, held: null },
    ]
    expect(judge(facts([], { pools }))).toMatchObject({ verdict: 'unknown', flags: ['pool_unreadable'] })
  })

  test('is of a stated range, and names the transaction', () => {
    expect(judge(facts([move(ada!, pool!, 600n)])).details).toMatchObject({
      from_block: 51,
      to_block: 100,
      blocks: 50,
      sales: 1,
      largest_sale_bps_of_pools: 600,
      largest_sale: { transaction: '0x1', block: 20, from: ada, to: pool, smallest_units: '600' },
      reasons: ['A sale of 600 basis points of what the pools hold in the 50 blocks to 100.'],
    })
  })

  test.each<[string, FlowFacts, string]>([
    ['the node returns no logs', facts(null), 'no_logs'],
    ['there is no supply', facts([], { supply: null }), 'no_supply'],
    ['no pool holds it', facts([], { pools: [] }), 'no_pool'],
  ])('is unknown where %s, and so is a limit for it', (_name, given, flag) => {
    expect(judge(given)).toMatchObject({ verdict: 'unknown', flags: [flag] })
    expect(judge(given, 10_000).flags).toEqual([flag, 'whale_flow_unknown'])
  })

  test('fails exactly where something moved more than a limit allows', () => {
    const account = fc.constantFrom(pool!, ada!, bob!, nowhere)
    const value = fc.bigInt({ min: 0n, max: 30_000n })
    const moves = fc.array(
      fc.tuple(account, account, value, fc.boolean()).map((given) => move(...given)),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(moves, fc.integer({ min: 0, max: 10_000 }), (made, most) => {
        const { verdict, details } = judge(facts(made), most)
        const { largest_sale_bps_of_pools: sale, largest_purchase_bps_of_pools: purchase } = details as Record<
          string,
          number
        >
        const { largest_transfer_bps_of_supply: transfer } = details as Record<string, number>
        expect(verdict === 'fail').toBe(Math.max(sale!, purchase!, transfer!) > most)
        expect(judge(facts([...made].reverse()), most).verdict).toBe(verdict)
      }),
    )
  })
})
