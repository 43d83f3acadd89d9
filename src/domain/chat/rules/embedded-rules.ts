import { DomainError } from '../../core/errors.ts'
import type { Vocabulary } from '../../intent/reading/vocabulary.ts'
import { researchCalls } from '../../intent/research-calls.ts'
import { unableText } from '../../intent/unable.ts'
import type { Assistant, AssistantRequest } from '../../ports/assistant.ts'
import type { Clock } from '../../ports/system.ts'
import { summaryOf } from '../../research/summary.ts'
import { answerSwap } from './answer-swap.ts'
import { type ConversationState, readConversation, stateOf, type UserRequest, withoutChain } from './conversation.ts'
import {
  balancesText,
  chainsText,
  declinedText,
  helloText,
  helpText,
  paymentText,
  positionsText,
  priceText,
  researchText,
  riskText,
  thanksText,
  tradesText,
  unclearText,
  unknownTokenText,
  volumeText,
} from './replies.ts'
import { type CallTool, Refusal, type TextPieces } from './tool-calls.ts'
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
        for await (const piece of answers[userRequest.topic](userRequest, context)) yield* sentences(piece)
      } catch (error) {
        if (isUnknownChain(error)) record({ request: withoutChain(userRequest) })
        yield* sentences(`That did not work: ${refusalText(error)}`)
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

type Context = {
  callTool: CallTool
  /** The tokens and chains that are connected. */
  vocabulary: Vocabulary
  now: Date
  /** Changes the state that is stored with the answer. */
  record(state: Partial<ConversationState>): void
}

/** How each topic is answered. */
const answers: Readonly<Record<Topic, (request: UserRequest, context: Context) => TextPieces>> = {
  swap: (request, { callTool, record }) => answerSwap(request, callTool, (quoted) => record({ quoted })),
  risk: answerRisk,
  price: answerPrices,
  async *balance(request, { callTool }) {
    yield 'Reading your balances from the chain.\n'
    yield balancesText(await callTool('tools_walletBalance', { ...onChain(request), ...fromWallet(request) }))
  },
  async *positions(_, { callTool }) {
    yield 'Reading your positions.\n'
    yield positionsText(await callTool('metrics_positions', {}))
  },
  async *volume({ slots }, { callTool }) {
    const period = {
      ...(slots.since === null ? {} : { start: slots.since }),
      ...(slots.until === null ? {} : { end: slots.until }),
    }
    yield volumeText(slots, await callTool('metrics_volume', period))
  },
  async *trades(_, { callTool }) {
    yield tradesText(await callTool('trading_listExecutions', { limit: 5 }))
  },
  async *chains(_, { callTool }) {
    yield chainsText(await callTool('trading_listChains', {}))
  },
  async *research({ text, slots }, { callTool, vocabulary, now }) {
    yield 'Querying the TVL provider.\n'
    const calls = researchCalls(text, slots, vocabulary.defaultChain, now)
    yield researchText(await callTool('research_preview', { defi_calls: calls }))
  },
  payment: ({ slots }) => only(paymentText(slots)),
  unable: ({ unable }) => only(unable === null ? unclearText() : unableText(unable)),
  declined: () => only(declinedText()),
  hello: () => only(helloText()),
  thanks: () => only(thanksText()),
  help: (_, { vocabulary }) => only(helpText(vocabulary)),
  unclear: () => only(unclearText()),
}

function* only(text: string): Generator<string> {
  yield text
}

async function* answerRisk(request: UserRequest, { callTool, vocabulary }: Context): TextPieces {
  const { tokens, addresses } = request.slots
  const named = tokens.length > 0 ? tokens : addresses
  if (named.length === 0) {
    yield request.unknown === null
      ? 'Which token shall I check? Name it by its symbol or its address.'
      : unknownTokenText(request.unknown, vocabulary)
    return
  }
  yield `Checking ${named.join(' and ')} on chain.\n`
  const input = { chain: 'evm', addresses: named.slice(0, 5), ...onChain(request) }
  yield riskText(named.slice(0, 5).join(' and '), await callTool('trading_assessRisk', { input }))
}

async function* answerPrices({ slots }: UserRequest, { callTool }: Context): TextPieces {
  for (const token of slots.tokens.slice(0, 5)) {
    const chain = slots.chain === null ? {} : { chain: slots.chain }
    yield priceText(token, slots.amount, await callTool('tools_oraclePrice', { pair: token, ...chain }))
  }
}

function onChain({ slots }: UserRequest): { chain_id?: string } {
  return slots.chain === null ? {} : { chain_id: slots.chain }
}

function fromWallet({ slots }: UserRequest): { address?: string } {
  const address = slots.addresses[0] ?? slots.wallet
  return address === null ? {} : { address }
}

/** Line by line, so that a stream shows an answer as it is written. */
function* sentences(text: string): Generator<string> {
  const lines = text.split(/(?<=\n)|(?<=[.?!] )/)
  for (const line of lines) if (line !== '') yield line
}
