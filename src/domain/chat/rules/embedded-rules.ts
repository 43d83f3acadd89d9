import { DomainError } from '../../core/errors.ts'
import { isQuestion, ofToken } from '../../intent/question/rules.ts'
import type { Vocabulary } from '../../intent/reading/vocabulary.ts'
import { unableText } from '../../intent/unable.ts'
import type { Assistant, AssistantRequest } from '../../ports/assistant.ts'
import type { Clock } from '../../ports/system.ts'
import { summaryOf } from '../../research/summary.ts'
import { type Context as AnswerContext, onChain } from '../questions/context.ts'
import {
  answerBitcoinFees,
  answerBitcoinHeight,
  answerBridge,
  answerChange,
  answerDeepestPool,
  answerDefinition,
  answerFaucet,
  answerGasPrice,
  answerLargest,
  answerPools,
  answerResearch,
  answerSlippageLimits,
  answerTokens,
} from '../questions/market.ts'
import {
  answerBalance,
  answerGasSpent,
  answerPrice,
  answerProfit,
  answerVolume,
  answerWorth,
} from '../questions/own-money.ts'
import {
  answerBestTrade,
  answerCancel,
  answerTradeStatus,
  answerTrades,
  answerWaiting,
  answerWhyLost,
  answerWorstTrade,
} from '../questions/own-trades.ts'
import { answerLimits, answerSessions } from '../questions/permissions.ts'
import { say } from '../questions/sentences.ts'
import { type CallTool, Refusal, type TextPieces } from '../questions/tool-calls.ts'
import { readingText, unknownText } from '../questions/unknown.ts'
import { answerSwap } from './answer-swap.ts'
import { type ConversationState, readConversation, stateOf, type UserRequest, withoutChain } from './conversation.ts'
import {
  chainsText,
  declinedText,
  helloText,
  helpText,
  paymentText,
  positionsText,
  riskText,
  thanksText,
} from './replies.ts'
import type { Topic } from './topics.ts'

/**
 * The assistant without a language model: rules choose the tools, and the reply is written from their results alone.
 * It says that it is no language model, and asks a question where it does not understand.
 */
export function createEmbeddedRules(vocabulary: Vocabulary, clock: Clock): Assistant {
  return {
    model: 'embedded-rules',
    summarize: async (findings) => summaryOf(findings),
    async *reply(request) {
      const now = clock.now()
      const userRequest = readConversation(request.history, request.text, vocabulary, now)
      const record = (state: Partial<ConversationState>) =>
        request.record(stateOf({ request: userRequest, quoted: null, ...state }))
      record({})
      try {
        const context = { callTool: toolCaller(request), vocabulary, now, record }
        yield* sentences(isQuestion(userRequest.topic) ? readingText(userRequest.about) : '')
        for await (const piece of answerOf(userRequest, vocabulary)(userRequest, context)) yield* sentences(piece)
      } catch (error) {
        if (isUnknownChain(error)) record({ request: withoutChain(userRequest) })
        const isWhole = (error instanceof Refusal && error.isWhole) || isQuestion(userRequest.topic)
        yield* sentences(`${isWhole ? '' : 'That did not work: '}${refusalText(error)}`)
      }
    },
  }
}

/** The message of a refusal, without the names of fields, which the caller did not write. Rethrows other errors. */
function refusalText(error: unknown): string {
  if (error instanceof Refusal) return error.message
  if (!(error instanceof DomainError) || error.code === 'INTERNAL') throw error
  return error.details.violations?.map((violation) => violation.message).join('; ') ?? error.message
}

function isUnknownChain(error: unknown): boolean {
  return error instanceof DomainError && error.details.violations?.some(({ code }) => code === 'unknown_chain') === true
}

function toolCaller({ tools, signal }: AssistantRequest): CallTool {
  return async (name, input) => {
    const tool = tools.get(name)
    if (tool === undefined) throw new Refusal(`The tool ${name} is not available here.`)
    signal.throwIfAborted()
    return await tool.run(input)
  }
}

type Context = AnswerContext & {
  /** Changes the state that is stored with the answer. */
  record(state: Partial<ConversationState>): void
}

type TopicAnswer = (request: UserRequest, context: Context) => TextPieces

/** How each topic is answered. */
const answers: Readonly<Record<Topic, TopicAnswer>> = {
  swap: (request, { callTool, record }) => answerSwap(request, callTool, (quoted) => record({ quoted })),
  payment: ({ slots }) => only(paymentText(slots)),
  unable: ({ unable, about }) => only(unable === null ? unknownText(about) : unableText(unable)),
  declined: () => only(declinedText()),
  unclear: ({ about }) => only(unknownText(about)),
  hello: () => only(helloText()),
  thanks: () => only(thanksText()),
  help: (_, { vocabulary }) => only(helpText(vocabulary)),
  async *positions(_, { callTool }) {
    yield positionsText(await callTool('metrics_positions', {}))
  },
  async *chains(_, { callTool }) {
    yield chainsText(await callTool('trading_listChains', {}))
  },
  risk: answerRisk,
  worth: answerWorth,
  token_worth: answerBalance,
  balance: answerBalance,
  profit: answerProfit,
  gas_spent: answerGasSpent,
  volume: answerVolume,
  price: answerPrice,
  best_trade: answerBestTrade,
  worst_trade: answerWorstTrade,
  why_lost: answerWhyLost,
  trades: answerTrades,
  trade_status: answerTradeStatus,
  waiting: answerWaiting,
  cancel: answerCancel,
  limits: answerLimits,
  sessions: answerSessions,
  tokens: answerTokens,
  pools: answerPools,
  deepest_pool: answerDeepestPool,
  change: answerChange,
  gas_price: answerGasPrice,
  bitcoin_height: answerBitcoinHeight,
  bitcoin_fees: answerBitcoinFees,
  largest: answerLargest,
  yields: answerResearch,
  research: answerResearch,
  faucet: answerFaucet,
  bridge: answerBridge,
  slippage_limits: answerSlippageLimits,
  definition: answerDefinition,
}

/** The answer of a request, or that a token which it names is not known. The TVL provider knows others than the gateway. */
function answerOf({ topic, slots, unknown, about }: UserRequest, vocabulary: Vocabulary): TopicAnswer {
  const chains = [...vocabulary.chains]
  const isOwnChain = slots.chain === null || (vocabulary.chains.has(slots.chain.toLowerCase()) && chains.length === 1)
  if (isQuestion(topic) && !ofChain.has(topic) && !isOwnChain) {
    const values = { name: (slots.chain ?? '').slice(0, 64), chains: chains.join(', ') }
    return () => only(say(about.language, 'unknown.chain', values))
  }
  const isOpen = !isQuestion(topic) || topic === 'research' || topic === 'yields' || topic.startsWith('bitcoin')
  const strange = isOpen ? undefined : slots.tokens.find((token) => !vocabulary.symbols.has(token.toUpperCase()))
  const name = strange ?? (isQuestion(topic) && ofToken.has(topic) && slots.tokens.length === 0 ? unknown : null)
  if (name === null) return answers[topic]
  const values = { name: name.slice(0, 64), tokens: [...vocabulary.symbols].join(', ') }
  return () => only(say(about.language, 'unknown.token', values))
}

/** Questions whose answers are of the chain that they name. */
const ofChain: ReadonlySet<Topic> = new Set<Topic>([
  ...(['research', 'yields', 'largest', 'pools', 'deepest_pool', 'balance', 'token_worth', 'price', 'risk'] as const),
  ...(['chains', 'bridge', 'change', 'bitcoin_height', 'bitcoin_fees', 'faucet', 'definition'] as const),
])

function* only(text: string): Generator<string> {
  yield text
}

const mostAssessed = 5

async function* answerRisk(request: UserRequest, { callTool }: Context): TextPieces {
  const { tokens, addresses } = request.slots
  const named = (tokens.length > 0 ? tokens : addresses).slice(0, mostAssessed)
  if (named.length === 0) {
    yield 'Which token shall I check? Name it by its symbol or its address.'
    return
  }
  yield `Checking ${named.join(' and ')} on chain.\n`
  const input = { chain: 'evm', addresses: named, ...onChain(request) }
  yield riskText(named.join(' and '), await callTool('trading_assessRisk', { input }))
}

/** Line by line, so that a stream shows an answer as it is written. */
function* sentences(text: string): Generator<string> {
  const lines = text.split(/(?<=\n)|(?<=[.?!] )/)
  for (const line of lines) if (line !== '') yield line
}
