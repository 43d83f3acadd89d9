import { systemClock } from '../adapters/system/system.ts'
import { createEmbeddedRules } from '../domain/chat/rules/embedded-rules.ts'
import { openTeams } from '../domain/chat/teams.ts'
import type { Vocabulary } from '../domain/intent/reading/vocabulary.ts'
import type { Assistant } from '../domain/ports/assistant.ts'
import { summaryOf } from '../domain/research/summary.ts'
import type { Config } from '../settings/config.ts'

/** The configured assistant. The library of language models is loaded only for a language model. */
export async function openAssistant(
  config: Config,
  vocabulary: Vocabulary,
  failed: (error: unknown) => void,
): Promise<Assistant> {
  const { LLM_BASE_URL: baseUrl, LLM_MODEL: model } = config
  if (baseUrl === undefined || model === undefined) return createEmbeddedRules(vocabulary, systemClock)
  const { createModelAssistant } = await import('../adapters/assistant/model-assistant.ts')
  return createModelAssistant({
    baseUrl,
    model,
    apiKey: config.LLM_API_KEY,
    maxTokens: config.LLM_MAX_TOKENS,
    tokensField: config.LLM_TOKENS_FIELD,
    contextTokens: config.LLM_CONTEXT_TOKENS,
    timeoutMs: config.LLM_TIMEOUT_SECONDS * 1_000,
    silenceMs: config.LLM_SILENCE_SECONDS * 1_000,
    teams: openTeams(vocabulary, systemClock),
    summaryOf,
    failed,
  })
}
