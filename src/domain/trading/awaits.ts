import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { capMs } from '../policies/trade-policy.ts'
import type { Session } from '../ports/accounts.ts'
import type { Chain, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { TradingSettings } from '../ports/trade-policy.ts'
import type { Execution, Traded } from '../ports/trades.ts'
import type { RiskReport } from '../risk/risk-checks.ts'
import { usdNumber, usdText } from '../values/money.ts'
import { confirmUntil } from './awaited.ts'
import type { ExecuteInput } from './evaluate-trade.ts'

type Awaits = NonNullable<OutputOf<typeof contract.trading.getExecution>['awaits']>

/** Who may have asked for the trades of an account, and what each of them has traded in the last day. */
export type Askers = { sessions: readonly Session[]; traded: Traded }

export async function askersOf(
  { clock, executions, sessions }: Pick<Ports, 'clock' | 'executions' | 'sessions'>,
  userId: number,
): Promise<Askers> {
  const since = new Date(clock.now().getTime() - capMs)
  const [all, traded] = await Promise.all([sessions.list(userId), executions.tradedSince(userId, since)])
  return { sessions: all, traded }
}

type Waiting = {
  execution: Execution
  chain: Chain | null
  askers: Askers
  /** An amount of a token as text. */
  units: (token: Hex, amount: bigint) => string
}

/** What decides whether a person agrees to a trade that waits. */
export function awaitsOf(settings: TradingSettings, { execution, chain, askers, units }: Waiting): Awaits {
  const { expectedOut, minimumOut, tokenOut, valueUsd, sessionId, facts, chainId } = execution
  const session = askers.sessions.find(({ id }) => id === sessionId)
  const request = JSON.parse(execution.awaitedRequest ?? '{}') as Partial<ExecuteInput> // `place` wrote it
  const quote = facts?.quote
  return {
    until: confirmUntil(execution).toISOString(),
    expected_out: units(tokenOut, expectedOut ?? 0n),
    url: `${settings.publicUrl}/#/waiting/${execution.id}`,
    ...(session === undefined ? {} : { session: { session_id: session.id, name: session.name } }),
    chain_id: chainId,
    chain_name: chain?.info.name ?? String(chainId),
    ...(valueUsd === null ? {} : { value_usd: usdNumber(valueUsd), value_usd_decimal: usdText(valueUsd) }),
    ...(facts?.risk === undefined ? {} : riskOf(facts.risk)),
    ...(quote === undefined ? {} : { price_impact_bps: quote.price_impact_bps, slippage_bps: quote.slippage_bps }),
    ...(minimumOut === null ? {} : { minimum_out: units(tokenOut, minimumOut) }),
    risk_skipped: request.skip_risk === true,
    caps_left_usd: capsLeft(settings, session, askers.traded),
  }
}

/** A report, and the deviation of the price that it measured. */
function riskOf(risk: RiskReport): Pick<Awaits, 'risk' | 'price_deviation_bps'> {
  const measured = risk.checks.find(({ name }) => name === 'price_sanity')?.details.deviation_bps
  return { risk, ...(typeof measured === 'number' ? { price_deviation_bps: measured } : {}) }
}

function capsLeft(settings: TradingSettings, session: Session | undefined, traded: Traded): Awaits['caps_left_usd'] {
  const left = (cap: bigint | null | undefined, used: bigint) =>
    cap == null ? null : usdNumber(cap > used ? cap - used : 0n)
  const ofSession = left(session?.grant?.maxDailyUsd, traded.sessions.get(session?.id ?? '')?.usd ?? 0n)
  const ofAccount = left(settings.maxDailyUsd, traded.accountUsd)
  return {
    ...(ofSession === null ? {} : { session_daily: ofSession }),
    ...(ofAccount === null ? {} : { account_daily: ofAccount }),
  }
}
