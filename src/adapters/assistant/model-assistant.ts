import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { DomainError } from '../../domain/core/errors.ts'
import type { Assistant, Findings } from '../../domain/ports/assistant.ts'
import type { Teams } from '../../domain/ports/teams.ts'
import { endpointOf } from '../providers/http-endpoint.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { naming } from './model-errors.ts'
import { summarize } from './summarize.ts'
import { openTurn } from './turn.ts'
import { type AnswerBounds, writeAnswer } from './write-answer.ts'

export type ModelSettings = AnswerBounds & {
  /** Where the server has `/chat/completions`. */
  baseUrl: string
  model: string
  apiKey: string | undefined
  /** The field of a request that bounds what is written. */
  tokensField: 'max_tokens' | 'max_completion_tokens'
  /** Estimated tokens of one request to the model. */
  contextTokens: number
  /** Milliseconds without a byte of an answer. */
  silenceMs: number
}

type Options = ModelSettings & {
  teams: Teams
  /** Sums up where the model does not. */
  summaryOf(findings: Findings): string
  /** Told of failures that an answer goes on without. */
  failed(error: unknown): void
}

/** Bytes of one answer of the server: some, and so many for each token, which travels in an event of its own. */
const [someBytes, tokenBytes] = [1_048_576, 1_024]

/** An assistant over any server that speaks the chat completions of OpenAI. */
export function createModelAssistant(options: Options): Assistant {
  const { apiKey, contextTokens, failed, maxTokens, silenceMs, summaryOf, tokensField } = options
  const { base, headers } = endpointOf({ ...naming, baseUrl: options.baseUrl })
  const { authorization }: Record<string, string | undefined> =
    apiKey === undefined ? headers : { authorization: `Bearer ${apiKey}` }
  const provider = createOpenAICompatible({
    name: 'llm',
    baseURL: base.href,
    includeUsage: true,
    transformRequestBody: ({ max_tokens: most, ...body }) => ({ ...body, [tokensField]: most }),
    fetch: boundedFetch({ mostBytes: someBytes + tokenBytes * maxTokens, silenceMs }),
    ...(authorization === undefined ? {} : { headers: { authorization } }),
  })
  const model = provider(options.model)
  return {
    model: options.model,
    reply: (request) => writeAnswer(model, openTurn(request, options), request, options),
    async summarize(findings, request) {
      try {
        // As many bytes as tokens: a third of the room.
        return await summarize(model, findings, contextTokens, request)
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        failed(error)
        return summaryOf(findings)
      }
    },
  }
}
