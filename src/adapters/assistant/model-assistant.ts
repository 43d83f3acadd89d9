import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { DomainError } from '../../domain/core/errors.ts'
import type { Assistant, Findings, Teams } from '../../domain/ports/assistant.ts'
import { endpointOf } from '../providers/http-endpoint.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { naming } from './model-errors.ts'
import { summarize } from './summarize.ts'
import { openTurn } from './turn.ts'
import { type AnswerBounds, writeAnswer } from './write-answer.ts'

export type ModelSettings = AnswerBounds & {
  /** The base URL of `/chat/completions`. */
  baseUrl: string
  model: string
  apiKey: string | undefined
  /** The field of a request that limits the written tokens. */
  tokensField: 'max_tokens' | 'max_completion_tokens'
  /** The most estimated tokens of one request to the model. */
  contextTokens: number
  /** The longest time without a byte of a response. */
  silenceMs: number
}

type Options = ModelSettings & {
  teams: Teams
  /** Summarizes where the model fails. */
  summaryOf(findings: Findings): string
  /** Is called with failures that do not end an answer. */
  failed(error: unknown): void
}

/** The most bytes of one response: a base, and those of each token, which has an event of its own. */
const [baseBytes, tokenBytes] = [1_048_576, 1_024]

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
    fetch: boundedFetch({ mostBytes: baseBytes + tokenBytes * maxTokens, silenceMs }),
    ...(authorization === undefined ? {} : { headers: { authorization } }),
  })
  const model = provider(options.model)
  return {
    model: options.model,
    reply: (request) => writeAnswer(model, openTurn(request, options), request, options),
    async summarize(findings, request) {
      try {
        // At most as many bytes as the context has tokens, which is a third of it.
        return await summarize(model, findings, contextTokens, request)
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        failed(error)
        return summaryOf(findings)
      }
    },
  }
}
