import { DomainError } from '../../core/errors.ts'
import { researchCalls } from '../../intent/research-calls.ts'
import type { Vocabulary } from '../../intent/vocabulary.ts'
import type { Assistant, AssistantRequest } from '../../ports/assistant.ts'
import type { Clock } from '../../ports/system.ts'
import { summaryOf } from '../../research/summary.ts'
import { answerSwap } from './answer-swap.ts'
import { type Asked, readConversation } from './conversation.ts'
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
import type { Look, Pieces } from './tool-calls.ts'
import type { Topic } from './topics.ts'

/**
 * The assistant without a language model: rules choose the tools, the reply is written from their answers alone.
 * It says what it is, and asks where it does not understand.
 */
export function createEmbeddedRules(vocabulary: Vocabulary, clock: Clock): Assistant {
  return {
    model: 'embedded-rules',
    summarize: async (findings) => summaryOf(findings),
    async *reply(request) {
      const now = clock.now()
      const asked = readConversation(request.history, request.text, vocabulary, now)
      try {
        const means = { look: lookOf(request), vocabulary, now }
        for await (const piece of answers[asked.topic](asked, means)) yield* sentences(piece)
      } catch (error) {
        if (!(error instanceof DomainError) || error.code === 'INTERNAL') throw error
        yield* sentences(`That did not work: ${wordsOfError(error)}`)
      }
    },
  }
}

/** What went wrong without the names of fields, which the caller did not write. */
function wordsOfError({ message, details }: DomainError): string {
  return details.violations?.map((violation) => violation.message).join('; ') ?? message
}

function lookOf({ tools, signal }: AssistantRequest): Look {
  return async (name, input) => {
    const tool = tools.get(name)
    if (tool === undefined) throw new DomainError('UNIMPLEMENTED', `I have no tool ${name} here.`)
    signal.throwIfAborted()
    return await tool.run(input)
  }
}

/** What an answer is made from: the tools, what is known of the connected chains, and the time that it is. */
type Means = { look: Look; vocabulary: Vocabulary; now: Date }

/** How each topic is answered. */
const answers: Readonly<Record<Topic, (asked: Asked, means: Means) => Pieces>> = {
  swap: (asked, { look }) => answerSwap(asked, look),
  risk: answerRisk,
  price: answerPrices,
  async *balance(asked, { look }) {
    yield 'Reading your balances from the chain.\n'
    yield balancesText(await look('tools_walletBalance', { ...onChain(asked), ...fromWallet(asked) }))
  },
  async *positions(_, { look }) {
    yield 'Reading your positions.\n'
    yield positionsText(await look('metrics_positions', {}))
  },
  async *volume({ slots }, { look }) {
    const period = {
      ...(slots.since === null ? {} : { start: slots.since }),
      ...(slots.until === null ? {} : { end: slots.until }),
    }
    yield volumeText(slots, await look('metrics_volume', period))
  },
  async *trades(_, { look }) {
    yield tradesText(await look('trading_listExecutions', { limit: 5 }))
  },
  async *chains(_, { look }) {
    yield chainsText(await look('trading_listChains', {}))
  },
  async *research({ text, slots }, { look, vocabulary, now }) {
    yield 'Asking the TVL provider.\n'
    const calls = researchCalls(text, slots, vocabulary.defaultChain, now)
    yield researchText(await look('research_preview', { defi_calls: calls }))
  },
  payment: ({ slots }) => only(paymentText(slots)),
  declined: () => only(declinedText()),
  hello: () => only(helloText()),
  thanks: () => only(thanksText()),
  help: (_, { vocabulary }) => only(helpText(vocabulary)),
  unclear: () => only(unclearText()),
}

function* only(text: string): Generator<string> {
  yield text
}

async function* answerRisk(asked: Asked, { look, vocabulary }: Means): Pieces {
  const { tokens, addresses } = asked.slots
  const named = tokens.length > 0 ? tokens : addresses
  if (named.length === 0) {
    yield asked.unknown === null
      ? 'Which token shall I check? Name it by its symbol or its address.'
      : unknownTokenText(asked.unknown, vocabulary)
    return
  }
  yield `Checking ${named.join(' and ')} on chain.\n`
  const input = { chain: 'evm', addresses: named.slice(0, 5), ...onChain(asked) }
  yield riskText(named.slice(0, 5).join(' and '), await look('trading_assessRisk', { input }))
}

async function* answerPrices({ slots }: Asked, { look }: Means): Pieces {
  for (const token of slots.tokens.slice(0, 5)) {
    const chain = slots.chain === null ? {} : { chain: slots.chain }
    yield priceText(token, slots.amount, await look('tools_oraclePrice', { pair: token, ...chain }))
  }
}

function onChain({ slots }: Asked): { chain_id?: string } {
  return slots.chain === null ? {} : { chain_id: slots.chain }
}

function fromWallet({ slots }: Asked): { address?: string } {
  const address = slots.addresses[0] ?? slots.wallet
  return address === null ? {} : { address }
}

/** Line by line, so that a stream shows an answer as it is written. */
function* sentences(text: string): Generator<string> {
  const lines = text.split(/(?<=\n)|(?<=[.?!] )/)
  for (const line of lines) if (line !== '') yield line
}
