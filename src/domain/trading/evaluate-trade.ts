import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import type { Fail } from '../core/errors.ts'
import { forbiddenByItself, type PolicyTrade, policyTradeOf } from '../policies/trade-policy.ts'
import type { Grant } from '../ports/accounts.ts'
import { type Hex, type Leg, nativeToken, type Route, type SwapPlan, type SwapSimulation } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { bindQuote, presentQuote, type Quote, type QuotePorts } from '../quoting/quote.ts'
import { assess, type RiskReport, type RiskThresholds, readAhead } from '../risk/risk-checks.ts'
import { breaksLimit } from '../risk/risk-limits.ts'
import { feeRefusal, feesWithin, withMargin } from '../values/fees.ts'
import { formatUnits } from '../values/money.ts'
import { minimumOut } from '../values/price-impact.ts'
import type { Swap } from '../values/swap.ts'
import { priceMoved } from './price-moved.ts'

export type ExecuteInput = InputOf<typeof contract.trading.execute>

export type EvaluateNeeds = QuotePorts | 'hashing' | 'wallets'

/** The codes that an evaluation can fail with, in addition to INVALID_ARGUMENT. */
export type EvaluateFail = Fail<'NOT_FOUND' | 'FAILED_PRECONDITION' | 'PERMISSION_DENIED'>

/** Seconds of chain time that a swap may wait for its block before it reverts. */
const swapTimeoutSeconds = 180n

/**
 * A trade to evaluate. `wallet` pays for it; null evaluates it for somebody who has the tokens. `grant` has the caps of the
 * session. `confirmed` has what the account agreed to: the minimum, which binds, and the levels of risk.
 */
type Candidate = {
  userId: number
  grant: Grant | null
  request: ExecuteInput
  swap: Swap
  wallet: Hex | null
  confirmed?: Confirmed | null
}

/** What the account agreed to: the least yield, null for a trade of an earlier version, and levels of risk above medium. */
export type Confirmed = { leastOut: bigint | null; levels: readonly RiskReport['level'][] }

/** The checks of a trade, in the order in which they decide. */
type Check = 'balance' | 'policy' | 'risk' | 'swap' | 'gas'

/** What is known about a trade, refused or not. */
type Facts = { quote: StoredQuote; shown: Quote; report: RiskReport | null; minimumOut: bigint }

type Successful = Extract<SwapSimulation, { ok: true }>

/** A trade that may be made now. */
export type Passed = Facts & {
  refused: null
  plan: SwapPlan
  simulation: Successful
  legs: readonly Leg[]
  policyTrade: PolicyTrade
}

/** A trade that must not be made. `reason` is in whole sentences. `simulation` is there where the swap itself would succeed. */
export type Refused = Facts & { refused: { check: Check; reason: string }; simulation: Successful | null }

/**
 * Evaluates a trade for simulate and execute alike, so that both refuse it for the same reason. The first check that
 * refuses decides, in the order of `Check`: the wallet's balance, the policies, the risk, the simulated swap, the gas.
 * Policies, risk and the simulation are read concurrently. Halts, and the caps over earlier trades, concern real trades
 * alone: they are checked where the nonce is reserved.
 */
export async function evaluateTrade(
  ports: Pick<Ports, EvaluateNeeds>,
  { userId, grant, request, swap: requested, wallet, confirmed = null }: Candidate,
  fail: EvaluateFail,
): Promise<Passed | Refused> {
  if (request.skip_risk && !ports.tradingSettings.skipRiskAllowed)
    throw fail('PERMISSION_DENIED', 'The risk checks cannot be skipped on this chain. Send skip_risk false.')
  // What the checks read of the tokens, and the balances, depend on no quote.
  if (isAssessed(request, confirmed))
    readAhead(requested.chain, [requested.tokenIn.address, requested.tokenOut.address])
  const holding = wallet === null ? null : balances(requested, wallet)
  holding?.catch(() => undefined)
  const quote = await bindQuote(ports, { userId, swap: requested, wallet }, request.quote_id, fail)
  // A quote of a USD amount has fixed the token amount.
  const swap = { ...requested, amountIn: quote.amountIn }
  const facts: Facts = {
    quote,
    shown: presentQuote(quote, ports.chains),
    report: null,
    minimumOut: largest(minimumOut(quote.expectedOut, quote.slippageBps), confirmed?.leastOut ?? 0n),
  }
  const seen = await holding
  const held = seen === null || wallet === null ? null : await newestIfShort(swap, wallet, seen)
  const shortfall = held === null ? null : balanceShortfall(swap, held.tokenIn)
  if (shortfall !== null) {
    const reason = `${shortfall}${(await startingMoneyIsDue(ports, userId, wallet)) ? startingMoneyText : ''}`
    return { ...facts, refused: { check: 'balance', reason }, simulation: null }
  }

  const plan = await planOf(ports, facts, swap, wallet)
  const policyReading = policyTradeOf(swap, quote)
  const riskReading = tradeRisk(request, swap, quote, confirmed)
  // With the minimum and the deadline that are sent; the quote measured what arrives without them.
  const simulating = swap.chain.simulateSwap(plan, { fundOwner: true })
  const readingLegs = swap.chain.swapLegs(plan)
  // They run concurrently and are awaited in the order of `Check`: a later one that fails hides no earlier refusal.
  for (const reading of [policyReading, riskReading, simulating, readingLegs]) reading.catch(() => undefined)
  const refuse = async (check: Check, reason: string): Promise<Refused> => {
    const [report, simulation] = await Promise.all([
      riskReading.then((risk) => risk.report).catch(() => null),
      simulating.catch(() => null),
    ])
    return { ...facts, report, refused: { check, reason }, simulation: simulation?.ok === true ? simulation : null }
  }
  // An early check of the trade on its own. What binds is checked again where the nonce is reserved.
  const policyTrade = await policyReading
  const forbidden = await forbiddenByItself(ports, policyTrade, wallet, grant)
  if (forbidden !== null) return await refuse('policy', forbidden)
  const risk = await riskReading
  if (risk.refusal !== null) return await refuse('risk', risk.refusal)
  const simulation = await simulating
  if (!simulation.ok) return await refuse('swap', whyItWouldFail(swap, facts, simulation))
  const legs = await readingLegs
  const unpaidGas = await gasRefusal(ports, swap, held?.native ?? null, legs)
  if (unpaidGas !== null) return await refuse('gas', unpaidGas)
  return { ...facts, report: risk.report, refused: null, plan, simulation, legs, policyTrade }
}

function whyItWouldFail(
  { chain, tokenOut }: Swap,
  { quote: { expectedOut, slippageBps }, minimumOut: leastOut }: Facts,
  { reason, advice, arrives }: Extract<SwapSimulation, { ok: false }>,
): string {
  const said = `The swap would fail: ${reason}.`
  if (arrives === undefined) return `${said} ${advice}`
  const shortfall = { tokenOut: tokenOut.address, expectedOut, nowOut: arrives, leastOut, slippageBps }
  return `${said} ${priceMoved(chain, shortfall)}`
}

function largest(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

async function planOf(
  ports: Pick<Ports, 'hashing' | 'ids'>,
  { quote, minimumOut }: Facts,
  { chain }: Swap,
  wallet: Hex | null,
): Promise<SwapPlan> {
  const { timestamp } = await chain.head('recent')
  return {
    route: quote.route,
    owner: wallet ?? (`0x${ports.hashing.sha256(ports.ids.uuid()).slice(0, 40)}` as Hex),
    amountIn: quote.amountIn,
    minimumOut,
    deadline: timestamp + swapTimeoutSeconds,
  }
}

/** What the wallet holds of the token in and of the native currency, which may be the same. */
type Held = { native: bigint; tokenIn: bigint }

async function balances({ chain, tokenIn: { address } }: Swap, wallet: Hex): Promise<Held> {
  const { native, tokens } = await chain.balances(wallet, address === nativeToken ? [] : [address])
  return { native, tokenIn: address === nativeToken ? native : (tokens[0] ?? 0n) }
}

/** The balances, read again at the newest block of the node where they are too small: money may just have arrived. */
async function newestIfShort(swap: Swap, wallet: Hex, held: Held): Promise<Held> {
  if (balanceShortfall(swap, held.tokenIn) === null) return held
  await swap.chain.head()
  return await balances(swap, wallet)
}

const startingMoneyText = ' Its starting money has not arrived yet; trading.listWallets says when it has.'

async function startingMoneyIsDue({ wallets }: Pick<Ports, 'wallets'>, userId: number, wallet: Hex | null) {
  const own = await wallets.list(userId)
  return own.some(({ address, funding }) => address === wallet && (funding === 'wanted' || funding === 'sent'))
}

/** Says how much of the token in the wallet holds where that is too little, else null. */
function balanceShortfall({ tokenIn, amountIn }: Swap, held: bigint): string | null {
  if (held >= amountIn) return null
  const text = (amount: bigint) => `${formatUnits(amount, tokenIn.decimals)} ${tokenIn.symbol}`
  return `The wallet holds ${text(held)}, and the trade needs ${text(amountIn)}. Trade less, or fund the wallet.`
}

/**
 * Says that gas is too dear for the gateway, or how much native currency the wallet holds where it cannot pay for the legs'
 * value and gas; else null. A trade for nobody's wallet has no `native`.
 */
async function gasRefusal(
  { tradingSettings }: Pick<Ports, 'tradingSettings'>,
  { chain }: Swap,
  native: bigint | null,
  legs: readonly Leg[],
): Promise<string | null> {
  const market = await chain.fees()
  const tooDear = feeRefusal(market, tradingSettings.maxFeePerGas)
  if (tooDear !== null || native === null) return tooDear
  const { maxFeePerGas } = feesWithin(market, tradingSettings.maxFeePerGas)
  const dataFee = withMargin(await chain.dataFee(legs.map(({ call }) => call)))
  const needed = legs.reduce((sum, { gas, call }) => sum + gas * maxFeePerGas + call.value, dataFee)
  if (native >= needed) return null
  const text = (wei: bigint) => `${formatUnits(wei, 18)} ${chain.info.nativeSymbol}`
  return `The wallet holds ${text(native)}, and with gas the trade may cost up to ${text(needed)}. Fund the wallet.`
}

/** What a request says about its risk. */
type RiskRequest = { skip_risk: boolean; thresholds?: RiskThresholds | undefined }

/** Whether a trade is assessed at all. */
function isAssessed({ skip_risk, thresholds }: RiskRequest, confirmed: Confirmed | null): boolean {
  return !skip_risk || confirmed !== null || thresholds !== undefined
}

/** The report, where one was requested, and why the trade must not be made, or null. */
type TradeRisk = { report: RiskReport | null; refusal: string | null }

/** Sentences that a refusal repeats from the report. */
export const mostRiskReasons = 3

/** Every check of a trade over a route. */
export async function assessTrade(
  { chain, tokenIn, tokenOut, amountIn }: Swap,
  { pools }: Pick<Route, 'pools'>,
  thresholds: RiskThresholds | undefined,
  checks: RiskReport['checks'][number]['name'][] = [],
): Promise<RiskReport> {
  const [sold, bought] = [tokenIn.address, tokenOut.address]
  const trade = { tokenIn: sold, tokenOut: bought, amountIn, pools }
  // A trade that waits for the chain is tried again; one whose risk is unknown is refused.
  return await assess({ chain, tokens: [sold, bought], trade, checks, thresholds, needsChain: true })
}

/**
 * Assesses a trade. A level of high or unknown refuses it, unless it was requested with `skip_risk`, or the account
 * confirmed it with that level; the caller's own thresholds refuse it either way. What the account confirms is assessed
 * whatever was requested.
 */
async function tradeRisk(
  request: RiskRequest,
  swap: Swap,
  quote: StoredQuote,
  confirmed: Confirmed | null,
): Promise<TradeRisk> {
  const { thresholds } = request
  if (!isAssessed(request, confirmed)) return { report: null, refusal: null }
  const skipped = request.skip_risk && confirmed === null
  const report = await assessTrade(swap, quote.route, thresholds, skipped ? checksFor(thresholds) : [])
  const broken = report.flags.filter(breaksLimit)
  const most = thresholds?.max_price_impact_bps
  if (most !== undefined && quote.priceImpactBps > most && !broken.includes('price_impact_above_threshold')) {
    broken.push('price_impact_above_threshold')
  }
  if (broken.length > 0) {
    return {
      report,
      refusal: `Your thresholds do not allow it: ${broken.join(', ')}. Trade less, or set other thresholds.`,
    }
  }
  const isAccepted = skipped || confirmed?.levels.includes(report.level) === true
  if (isAccepted || (report.level !== 'high' && report.level !== 'unknown')) return { report, refusal: null }
  const flags = report.flags.length === 0 ? '' : ` (${report.flags.join(', ')})`
  const reasons = (report.reasons ?? []).slice(0, mostRiskReasons).join(' ')
  return {
    report,
    refusal: `The risk is ${report.level}${flags}. ${reasons} See the checks of the report.`,
  }
}

/** The checks that the caller's thresholds need. */
function checksFor(thresholds: RiskThresholds | undefined): RiskReport['checks'][number]['name'][] {
  return [
    ...(thresholds?.max_tax_bps === undefined ? [] : (['rug'] as const)),
    ...(thresholds?.max_whale_bps === undefined ? [] : (['whale_flow'] as const)),
    'price_sanity',
  ]
}
