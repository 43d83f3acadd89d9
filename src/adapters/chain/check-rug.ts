import type { Address } from 'viem'
import type { CheckResult } from '../../domain/ports/chains.ts'
import { type Connection, readHead, same } from './connection.ts'
import type { PoolBook } from './pools.ts'
import { type Powers, readPowers } from './privileges.ts'
import { type ProbeResult, probeToken } from './probe.ts'
import { reasonOf } from './reverts.ts'
import type { SlotFinder } from './slots.ts'

const highTaxBps = 1_000n
const noticedTaxBps = 50n

type Finding = { verdict: CheckResult['verdict']; score: number; flags: string[] }

/** Can the token be sold again, what does it tax, what may its owner do. */
export async function checkRug(
  connection: Connection,
  book: PoolBook,
  slots: SlotFinder,
  token: Address,
): Promise<CheckResult> {
  const block = await readHead(connection)
  const code = await connection.client.getCode({ address: token, blockNumber: block.number })
  if (code === undefined || code === '0x') {
    const details = { reason: 'There is no contract at this address.', block: Number(block.number) }
    return { verdict: 'unknown', score: 50, flags: ['not_a_contract'], details }
  }
  const [powers, probed] = await Promise.all([
    readPowers(connection, token, code),
    probeToken(connection, book, slots, token, block.number),
  ])
  const listed = connection.deployment.tokens.some((known) => same(known.address, token))
  const trade = judgeTrades(probed)
  const owner = judgePowers(powers, listed)
  const { verdict, score, flags } = worse(trade, owner)
  return {
    verdict,
    score,
    flags,
    details: {
      block: Number(block.number),
      trades: probed.results.map(described),
      owner: powers.owner,
      owner_renounced: powers.renounced,
      owner_powers: [...powers.issuer, ...powers.traps],
      upgradeable: powers.proxy,
      method: 'bought, moved and sold in a call that changes nothing; powers by the names in the code',
    },
  }
}

/** What the trial trades say. A failure on v3 alone is no proof: its pools refuse any token that taxes. */
function judgeTrades({ pools, results }: { pools: readonly unknown[]; results: readonly ProbeResult[] }): Finding {
  if (results.length === 0)
    return { verdict: 'unknown', score: 50, flags: [pools.length === 0 ? 'no_pool' : 'not_probed'] }
  const sold = results.filter(({ report }) => report.sell.ok)
  if (sold.length === 0) {
    const bought = results.some(({ report }) => report.buy.ok)
    return bought
      ? { verdict: 'fail', score: 100, flags: ['cannot_sell'] }
      : { verdict: 'fail', score: 80, flags: ['cannot_buy'] }
  }
  const taxes = sold.flatMap(({ report }) => [report.buy.taxBps, report.move.taxBps, report.sell.taxBps])
  if (taxes.some((tax) => tax >= highTaxBps)) return { verdict: 'fail', score: 90, flags: ['high_tax'] }
  if (taxes.some((tax) => tax >= noticedTaxBps)) return { verdict: 'warn', score: 40, flags: ['taxed'] }
  return { verdict: 'pass', score: 0, flags: [] }
}

/** What the code says. Powers that nobody holds any more count nothing; issuers of listed tokens are known to have theirs. */
function judgePowers({ issuer, traps, renounced, proxy }: Powers, listed: boolean): Finding {
  if (renounced && !proxy) return { verdict: 'pass', score: 0, flags: [] }
  const flags = [...(listed ? [] : issuer), ...traps].map((name) => `owner_can_${name}`)
  if (traps.length > 0) return { verdict: 'warn', score: 50, flags }
  return flags.length > 0 ? { verdict: 'warn', score: 30, flags } : { verdict: 'pass', score: 0, flags }
}

const order = { pass: 0, warn: 1, unknown: 2, fail: 3 } as const

function worse(left: Finding, right: Finding): Finding {
  const { verdict } = order[left.verdict] >= order[right.verdict] ? left : right
  return { verdict, score: Math.max(left.score, right.score), flags: [...left.flags, ...right.flags] }
}

function described({
  pool,
  base,
  report: { buy, move, sell, roundTripLossBps },
}: ProbeResult): Record<string, unknown> {
  const failed = Object.entries({ buy, move, sell }).find(([, stage]) => stage.ran && !stage.ok)
  return {
    venue: pool.venue,
    pool: pool.address,
    paid_with: base,
    can_buy: buy.ok,
    can_sell: sell.ok,
    buy_tax_bps: Number(buy.taxBps),
    transfer_tax_bps: Number(move.taxBps),
    sell_tax_bps: Number(sell.taxBps),
    round_trip_loss_bps: Number(roundTripLossBps),
    ...(failed === undefined ? {} : { failed_at: failed[0], reason: reasonOf(failed[1].revertData) }),
  }
}
