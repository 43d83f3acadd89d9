import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { chainWithin } from '../core/chain-within.ts'
import { DomainError, type Fail } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { vocabularyOf } from '../intent/reading/vocabulary.ts'
import { researchCalls } from '../intent/research-calls.ts'
import { type Routed, routeIntent, teams } from '../intent/route-intent.ts'
import type { Slots } from '../intent/slots.ts'
import type { Chains } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import { taxSentence } from '../quoting/deliver.ts'
import { makeQuote, presentQuote, type Quote, type QuotePorts } from '../quoting/quote.ts'
import { readUp } from '../research/preview.ts'
import { type Assessment, assess, type RiskReport } from '../risk/risk-checks.ts'
import type { TvlNeeds } from '../tools/tvl-tools.ts'
import { formatUnits } from '../values/money.ts'
import { readSwap, type Swap } from '../values/swap.ts'
import { clausesOf } from './clauses.ts'
import { questionFor } from './preview-intent.ts'
import { requestedChain, requestedSwap, requestedToken, whyNoPreview } from './requested-swap.ts'

type PreviewPorts = QuotePorts | TvlNeeds
type Input = InputOf<typeof contract.trading.previewRun>

/** Milliseconds that research, quote and risk may take in total. */
const deadlineMs = 20_000

/** The result of one part: a sentence, and the fields of the output. */
type Found = { says: string; quote?: Quote; risk?: RiskReport }
type Part = { name: 'research' | 'quote' | 'risk'; find(): Promise<Found> }

/**
 * Routes the text and runs its parts concurrently: research, a quote and the risk of its swap. A failed part is named in
 * the summary and does not affect the others; where all fail, the first error is thrown.
 */
export const previewRun: Handler<typeof contract.trading.previewRun, PreviewPorts> = async (ports, input, call) => {
  const vocabulary = vocabularyOf(ports.chains)
  const now = ports.clock.now()
  const requests = requestsIn(input.text, (text) => routeIntent(text, vocabulary, now))
  const { whole } = requests
  const { signal, fail } = call
  const times = { signal, deadline: ports.clock.limit(deadlineMs), fail }
  const within = { ...ports, chains: chainsWithin(ports.chains, AbortSignal.any([signal, times.deadline])) }
  const parts = await partsOf(within, { ...requests, input, userId: call.principal.userId, times, fail })
  const outcomes = await Promise.all(parts.map(attempted))
  const found = outcomes.filter((outcome) => !(outcome instanceof DomainError))
  const sentences = outcomes.map((outcome, index) =>
    outcome instanceof DomainError ? `There is no ${parts[index]?.name}: ${outcome.message}` : outcome.says,
  )
  const open = openQuestion(requests, parts, ports.chains)
  const [error] = outcomes.filter((outcome) => outcome instanceof DomainError)
  if (error !== undefined && found.length === 0 && open === null) throw error
  const { quote, risk }: Partial<Found> = Object.assign({}, ...found)
  return {
    intent: whole.intent,
    team: teams[whole.intent],
    summary: [...sentences, ...(open === null ? [] : [open])].join(' '),
    ...(quote === undefined ? {} : { quote }),
    ...(risk === undefined ? {} : { risk }),
  }
}

type Times = Parameters<typeof readUp>[2]
type Research = { text: string; slots: Slots }
type PreviewRequest = Omit<Requests, 'whole'> & {
  input: Input
  userId: number
  times: Times
  fail: Fail<'FAILED_PRECONDITION'>
}

/** What the summary still asks for, or says that there is no preview of; null where the parts are all of it. */
function openQuestion({ routed, research }: Requests, parts: readonly Part[], chains: Chains): string | null {
  if (parts.some(({ name }) => name === routed.intent || name === 'quote')) return null
  const others = routed.intent === 'research' || research === null ? parts : parts.filter(({ name }) => name === 'risk')
  return questionFor(routed) ?? (others.length > 0 ? null : whyNoPreview(routed.slots, chains))
}

/** How a text is routed as a whole, its research, and how the rest is routed; without other research, that is the whole. */
type Requests = { whole: Routed; routed: Routed; research: Research | null }

/** Separates research from a swap or a risk that the same text asks for: each has its own tokens and chain. */
function requestsIn(text: string, route: (text: string) => Routed): Requests {
  const whole = route(text)
  const isResearch = ({ understood, intent }: Routed) => understood && intent === 'research'
  const asOne = { whole, routed: whole, research: isResearch(whole) ? { text, slots: whole.slots } : null }
  const clauses = clausesOf(text)
  if (clauses.length < 2) return asOne
  const { asked = [], others = [] } = Object.groupBy(clauses, (clause) =>
    isResearch(route(clause)) ? 'asked' : 'others',
  )
  if (asked.length === 0 || others.length === 0) return asOne
  const rest = route(others.join(' '))
  if (!rest.understood || isResearch(rest)) return asOne
  const research = asked.join(' ')
  // A rest such as "check its risk" refers to what the research names, so that the whole text is read for it.
  const routed = rest.missing.length > 0 && !isResearch(whole) ? whole : rest
  return { whole, routed, research: { text: research, slots: route(research).slots } }
}

/** The parts of a preview: quote and risk of the swap in the request or its text, risk of named tokens, research. */
async function partsOf(
  ports: Pick<Ports, PreviewPorts>,
  { routed, research, input, userId, times, fail }: PreviewRequest,
): Promise<Part[]> {
  const { intent, understood, slots } = routed
  const given = input.evm_input
  // What the text forbids, leaves in doubt or asks in vain is not previewed as a swap.
  const isOpen = understood && routed.refusal === null && routed.doubt === null
  const requested = given ?? (isOpen && intent !== 'research' ? requestedSwap(slots, ports.chains) : null)
  const path = given === undefined ? 'text' : 'evm_input'
  const parts: Part[] = []
  const wantsPrice = intent === 'quote' && requested === null && slots.amount === null && routed.missing.length === 0
  const looked = research ?? (understood && wantsPrice ? { text: input.text, slots } : null)
  if (looked !== null) {
    const calls = researchCalls(looked.text, looked.slots, ports.chains.default.info.name, ports.clock.now())
    parts.push({ name: 'research', find: async () => ({ says: await readUp(ports, calls, times) }) })
  }
  if (requested !== null) {
    const swap = readSwap(ports.chains, requested, path)
    await swap.catch(throwInvalid)
    parts.push({ name: 'quote', find: async () => findQuote(ports, userId, await swap, fail) })
    parts.push(riskPart(async () => subjectOf(await swap), input))
  } else if (intent === 'risk_assessment' && understood) {
    const chain = requestedChain(slots, ports.chains)
    const tokens = slots.tokens.map((name) => requestedToken(chain, name)).filter((token) => token !== null)
    if (tokens.length > 0) parts.push(riskPart(async () => ({ chain, tokens, trade: null }), input))
  }
  return parts
}

/** Throws an invalid input at once. Any other failure is reported by the parts that need the swap. */
function throwInvalid(error: unknown): void {
  if (!(error instanceof DomainError) || error.code === 'INVALID_ARGUMENT') throw error
}

async function findQuote(
  ports: Pick<Ports, PreviewPorts>,
  userId: number,
  swap: Swap,
  fail: Fail<'FAILED_PRECONDITION'>,
): Promise<Found> {
  const { tokenIn, tokenOut } = swap
  const stored = await makeQuote(ports, { userId, swap, wallet: null }, fail)
  const quote = presentQuote(stored, ports.chains)
  const way = `on ${quote.venue} over ${quote.route.length - 1} pool(s), price impact ${quote.price_impact_bps} bps`
  const paid = `${formatUnits(stored.amountIn, tokenIn.decimals)} ${tokenIn.symbol}`
  const says = `${paid} would yield ${quote.expected_out} ${tokenOut.symbol} ${way}.${taxSentence(quote.transfer_tax_bps)}`
  return { says, quote }
}

type Subject = Pick<Assessment, 'chain' | 'tokens' | 'trade'>

function subjectOf({ chain, tokenIn, tokenOut, amountIn }: Swap): Subject {
  const trade = { tokenIn: tokenIn.address, tokenOut: tokenOut.address, amountIn }
  return { chain, tokens: [trade.tokenIn, trade.tokenOut], trade }
}

function riskPart(subject: () => Promise<Subject>, { thresholds }: Input): Part {
  const find = async () => {
    const risk = await assess({ ...(await subject()), checks: [], thresholds })
    const flags = risk.flags.length === 0 ? '' : `; flags: ${risk.flags.join(', ')}`
    return { says: `The risk is ${risk.level} (score ${risk.aggregate_score ?? 'unknown'} of 100${flags}).`, risk }
  }
  return { name: 'risk', find }
}

async function attempted({ find }: Part): Promise<Found | DomainError> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof DomainError && error.code !== 'INTERNAL') return error
    throw error
  }
}

/** The chains with a time limit: a read after it fails with DEADLINE_EXCEEDED. */
function chainsWithin(chains: Chains, signal: AbortSignal): Chains {
  const all = chains.all.map((chain) => chainWithin(chain, signal))
  const first = chainWithin(chains.default, signal)
  return { all, default: first, find: (id) => all.find(({ info }) => info.id === id) ?? null }
}
