import { DomainError } from '../errors.ts'
import { routeIntent } from '../intent/route-intent.ts'
import { readText, type Slots } from '../intent/slots.ts'
import type { Vocabulary } from '../intent/vocabulary.ts'
import type { Assistant, AssistantRequest } from '../ports/assistant.ts'
import type { Clock } from '../ports/system.ts'
import { summaryOf } from '../research/summary.ts'
import { balancesText, positionsText, priceText, quoteText, riskText, type ToolAnswer, tvlText } from './replies.ts'

type Plan =
  | { tool: string; input: Record<string, unknown>; opening: string; write: (answer: ToolAnswer) => string }
  | { ask: string }

const balanceWords =
  /\b(balances?|wallets?|holdings?|how much .* do i (have|own|hold)|what do i (have|own|hold)|my (funds|tokens|money|account))\b/i
const positionWords = /\b(positions?|portfolio|pnl|profit|loss(es)?|p&l|performance|gains?)\b/i
const tvlWords = /\b(tvl|total value locked)\b/i
const priceWords = /\b(price|worth|trading at|cost|value) (of|for)?|\bhow much is\b/i

/**
 * The assistant without a language model: rules choose a tool, the reply is written from the tool's answer alone.
 * It says what it is, and asks where it does not understand.
 */
export function createEmbeddedRules(vocabulary: Vocabulary, clock: Clock): Assistant {
  return {
    model: 'embedded-rules',
    summarize: async (findings) => summaryOf(findings),
    async *reply(request) {
      const plan = planFor(request, vocabulary, clock.now())
      if ('ask' in plan) {
        yield* sentences(plan.ask)
        return
      }
      yield `${plan.opening}\n`
      yield* answer(plan, request)
    },
  }
}

async function* answer(plan: Exclude<Plan, { ask: string }>, request: AssistantRequest): AsyncGenerator<string> {
  const tool = request.tools.get(plan.tool)
  if (tool === undefined) {
    yield 'I have no tool for that here.'
    return
  }
  request.signal.throwIfAborted()
  const result = await tool.run(plan.input).catch((error: unknown) => {
    if (error instanceof DomainError && error.code !== 'INTERNAL') return error
    throw error
  })
  yield* sentences(result instanceof DomainError ? `That did not work: ${result.message}` : plan.write(result))
}

/** Line by line, so that a stream shows an answer as it is written. */
function* sentences(text: string): Generator<string> {
  const lines = text.split(/(?<=\n)|(?<=[.?!] )/)
  for (const line of lines) if (line !== '') yield line
}

function planFor(request: AssistantRequest, vocabulary: Vocabulary, now: Date): Plan {
  const { slots: said, ...routed } = routeIntent(request.text, vocabulary, now)
  const intent = routed.understood ? routed.intent : null
  const slots = withEarlier(said, request, vocabulary, now)
  if (positionWords.test(request.text)) {
    return { tool: 'metrics_positions', input: {}, opening: 'Reading your positions.', write: positionsText }
  }
  if (balanceWords.test(request.text) && intent !== 'trade') {
    return {
      tool: 'tools_walletBalance',
      input: {},
      opening: 'Reading your balances from the chain.',
      write: balancesText,
    }
  }
  const [token] = slots.tokens
  if (intent === 'risk_assessment') {
    if (token === undefined) return { ask: 'Which token shall I check? Name it by its symbol or its address.' }
    const input = { input: { chain: 'evm', addresses: [token] } }
    const write = (answer: ToolAnswer) => riskText(token, answer)
    return { tool: 'trading_assessRisk', input, opening: `Checking ${token} on chain.`, write }
  }
  if (priceWords.test(request.text) && slots.tokens.length === 1 && token !== undefined) {
    const write = (answer: ToolAnswer) => priceText(token, answer)
    return { tool: 'tools_oraclePrice', input: { pair: token }, opening: `Reading the price of ${token}.`, write }
  }
  if (intent === 'quote' || intent === 'trade' || isFollowUp(request, said))
    return swapPlan(slots)
  if (intent === 'research' && tvlWords.test(request.text)) {
    const opening = 'Asking the TVL provider.'
    const input = { tool_name: 'tvl_get', arguments: { chain: slots.chain ?? [...vocabulary.chains][0] } }
    return { tool: 'tools_invokeTvl', input, opening, write: tvlText }
  }
  if (intent === 'research') {
    return {
      ask: 'Research over providers is POST /api/v1/multi-agent/research/preview, with a subgraph, an analytics query or tools of the TVL provider. Here I can read prices, quotes, balances, positions and token risk from the chain. Which would help?',
    }
  }
  return { ask: help(vocabulary) }
}

function swapPlan(slots: Slots): Plan {
  const missing = [
    slots.amount === null ? 'how much' : null,
    slots.token_in === null ? 'which token you pay with' : null,
    slots.token_out === null ? 'which token you want' : null,
  ].filter((item) => item !== null)
  if (missing.length > 0) {
    return { ask: `I can quote that. Please tell me ${missing.join(' and ')}, for example "quote 1 WETH to USDC".` }
  }
  if (slots.amount_of === 'token_out') {
    return {
      ask: `I quote by the amount you pay. How much ${slots.token_in} do you want to spend on ${slots.token_out}?`,
    }
  }
  const swap = {
    ...(slots.chain === null ? {} : { chain_id: slots.chain }),
    token_in_address: slots.token_in,
    token_out_address: slots.token_out,
    amount_in: slots.amount,
    slippage_bps: slots.slippage_bps ?? 50,
  }
  return {
    tool: 'trading_quote',
    input: { input: swap },
    opening: `Quoting ${slots.amount} ${slots.token_in} to ${slots.token_out} over the known pools.`,
    write: (result) => quoteText(slots, result),
  }
}

/** Slots that this sentence leaves open are taken from what the caller asked before, newest first. */
function withEarlier(slots: Slots, request: AssistantRequest, vocabulary: Vocabulary, now: Date): Slots {
  const earlier = request.history
    .filter((message) => message.role === 'user')
    .slice(-6)
    .reverse()
  const merged = { ...slots }
  for (const message of earlier) {
    const past = readText(message.content, vocabulary, now).slots
    if (merged.tokens.length === 0) {
      merged.tokens = past.tokens
      merged.token_in ??= past.token_in
      merged.token_out ??= past.token_out
    }
    if (merged.token_in !== null && merged.token_out === null && past.token_out !== merged.token_in)
      merged.token_out = past.token_out
  }
  return merged
}

function isFollowUp(request: AssistantRequest, slots: Slots): boolean {
  const asked = request.history.some((message) => message.role === 'assistant' && /\bquote\b/i.test(message.content))
  return asked && (slots.amount !== null || slots.tokens.length > 0)
}

function help(vocabulary: Vocabulary): string {
  return (
    `I am the embedded-rules assistant, not a language model. I can quote a swap, read a price, check a token's risk, and show your balances and positions. ` +
    `Tokens I know: ${[...vocabulary.symbols].join(', ')}. What would you like, for example "quote 1 WETH to USDC"?`
  )
}
