import type { PoolShare, TokenFacts, TokenPowers, Trial } from '../ports/chains.ts'
import { judgeMeasure, measures, type RiskLimits, unjudged } from './risk-limits.ts'
import { type CheckResult, concluded, type Finding } from './risk-rules.ts'

/**
 * Checks whether a token can be sold again, what it taxes and what its owner may do. The issuer of a known token is
 * trusted with ordinary powers such as minting, but no owner with powers that serve to take buyers' money.
 */
export function judgeToken(facts: TokenFacts, known: boolean, limits: RiskLimits): CheckResult {
  const block = { block: Number(facts.block.number), source: 'the chain itself, by read-only calls' }
  if (!facts.code)
    return concluded(
      [unknown('not_a_contract', 'There is no contract at this address.'), ...unjudged('rug', limits)],
      block,
    )
  const findings = [
    ...judgeTrials(facts),
    ...judgeTaxes(facts.trials, limits.maxTaxBps),
    ...judgePowers(facts.powers, known),
    ...(known ? [] : judgeShares(facts)),
  ]
  const { powers } = facts
  return concluded(findings, {
    ...block,
    trades: facts.trials.map(described),
    owner: powers.owner,
    owner_is_contract: powers.ownerIsContract,
    owner_renounced: powers.renounced,
    owner_powers: [...powers.issuer, ...powers.traps],
    owner_mints_now: powers.ownerMintsNow,
    known_issuer: known,
    upgradeable: powers.upgradeable,
    implementation: powers.implementation,
    pools: facts.pools.map(shareOf),
    method: 'bought, moved and sold with state overrides in one call; powers by the names in the code',
  })
}

/** Why a token was not tried, and what to configure. */
const untriedSays = {
  'state overrides':
    'The nodes of the chain do not run eth_call with state overrides, which the check of a token needs. Set CHAIN_RPC_URL to a node that does, such as go-ethereum, reth, erigon or nethermind.',
  'access lists':
    'The nodes of the chain have neither eth_createAccessList nor debug_traceCall, and the token that pays in its pools keeps its balances where none of the usual layouts has them, so the token cannot be tested. Set CHAIN_RPC_URL to a node with eth_createAccessList.',
  'nothing known':
    'The node did not run the calls with state overrides that test a token: it refused them, or the balances of the token that pays in its pools were not found.',
} as const

/** A failure on v3 alone does not prove a trap: its pools refuse every token with a transfer tax. */
function judgeTrials({ pools, trials, untried }: TokenFacts): Finding[] {
  if (trials.length === 0) {
    return pools.length === 0
      ? [unknown('no_pool', 'No known pool trades the token, so it cannot be tested.')]
      : [unknown('not_probed', untriedSays[untried ?? 'nothing known'])]
  }
  const stuck = trials.filter(({ buy, sell }) => buy.ok && !sell.ok)
  const why = (stuck[0]?.sell.reason ?? stuck[0]?.move.reason ?? 'it gave no reason').slice(0, 120)
  if (trials.some(({ sell }) => sell.ok)) {
    const says = `Bought on ${stuck[0]?.venue}, it could not be sold there again: ${why}.`
    return stuck.length === 0 ? [] : [{ verdict: 'warn', score: 50, flag: 'cannot_sell_everywhere', says }]
  }
  if (stuck.length > 0 && stuck.every(({ move }) => move.ran && !move.ok)) {
    const says = `What was bought could not be moved to another account: ${why}.`
    return [{ verdict: 'fail', score: 100, flag: 'cannot_transfer', says }]
  }
  if (stuck.length > 0) {
    const says = `What was bought could not be sold again: ${why}.`
    return [{ verdict: 'fail', score: 100, flag: 'cannot_sell', says }]
  }
  const reason = (trials[0]?.buy.reason ?? 'it gave no reason').slice(0, 120)
  return [{ verdict: 'fail', score: 80, flag: 'cannot_buy', says: `It could not be bought: ${reason}.` }]
}

function judgeTaxes(trials: readonly Trial[], most: number | null): Finding[] {
  const taxes = trials.flatMap(({ buy, move, sell }) => [
    ...(buy.ok ? [{ doing: 'Buying', bps: buy.taxBps }] : []),
    ...(move.ok ? [{ doing: 'Moving', bps: move.taxBps }] : []),
    ...(sell.ok ? [{ doing: 'Selling', bps: sell.taxBps }] : []),
  ])
  const worst = taxes.sort((left, right) => right.bps - left.bps)[0]
  const says = (bps: number) => `${worst?.doing} it costs a tax of ${bps} basis points.`
  return judgeMeasure(measures.tax, worst?.bps ?? null, most, says)
}

/** Powers without a holder do not count, unless the code can still be replaced. */
function judgePowers(
  { issuer, traps, owner, ownerIsContract, renounced, upgradeable, ownerMintsNow }: TokenPowers,
  known: boolean,
): Finding[] {
  if (renounced && !upgradeable) return []
  const holder = owner === null ? 'Somebody' : `Its owner ${owner}`
  const finding = (name: string, score: number): Finding => {
    const says = `${holder} may ${name.replaceAll('_', ' ')}.`
    return { verdict: 'warn', score, flag: `owner_can_${name}`, says }
  }
  const found = [...(known ? [] : issuer.map((name) => finding(name, 30))), ...traps.map((name) => finding(name, 50))]
  // One key that can mint freely can empty every pool in its next transaction.
  const alone = ownerMintsNow === true && !ownerIsContract
  return found.map((one) =>
    alone && one.flag === 'owner_can_mint'
      ? {
          ...one,
          verdict: 'fail',
          score: 80,
          says: `${holder} can mint with a single key at any time. A simulated mint succeeded.`,
        }
      : one,
  )
}

/** True where the owner holds most of a pool, and so can withdraw the money in it. */
function judgeShares({ pools, powers }: TokenFacts): Finding[] {
  const held = pools.find(({ ownerBps }) => ownerBps !== null && ownerBps >= 5_000)
  if (held === undefined || powers.renounced) return []
  const says = `Its owner holds ${held.ownerBps} basis points of the pool ${held.pool}, and may take the liquidity out.`
  return [{ verdict: 'warn', score: 40, flag: 'owner_holds_liquidity', says }]
}

function described({ venue, pool, paidWith, buy, move, sell, roundTripLossBps }: Trial): Record<string, unknown> {
  const failed = Object.entries({ buy, move, sell }).find(([, stage]) => stage.ran && !stage.ok)
  return {
    venue,
    pool,
    paid_with: paidWith,
    can_buy: buy.ok,
    can_sell: sell.ok,
    buy_tax_bps: buy.taxBps,
    transfer_tax_bps: move.taxBps,
    sell_tax_bps: sell.taxBps,
    round_trip_loss_bps: roundTripLossBps,
    ...(failed === undefined ? {} : { failed_at: failed[0], reason: failed[1].reason }),
  }
}

function shareOf({ venue, pool, supplyBps, burnedBps, ownerBps }: PoolShare): Record<string, unknown> {
  return { venue, pool, supply_bps: supplyBps, shares_burned_bps: burnedBps, shares_of_owner_bps: ownerBps }
}

function unknown(flag: string, says: string): Finding {
  return { verdict: 'unknown', score: 50, flag, says }
}
