import { z } from 'zod'
import { baseUrl, httpUrl, oneOf, type Setting, whole } from './setting-kinds.ts'

const printable = (most: number) =>
  z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${most}}$`), `must be 1 to ${most} printable characters without spaces`)

/** The language model behind the assistant, and what one answer of it may take. */
export const assistantSettings = {
  LLM_BASE_URL: {
    schema: baseUrl(httpUrl).optional(),
    meaning:
      'Server that speaks the chat completions of OpenAI, up to and without /chat/completions, such as http://127.0.0.1:11434/v1; unset, the assistant is embedded-rules',
    secret: true,
  },
  LLM_MODEL: { schema: printable(200).optional(), meaning: 'Model that is asked for there' },
  LLM_API_KEY: { schema: printable(500).optional(), meaning: 'Bearer key that is sent there', secret: true },
  LLM_MAX_TOKENS: {
    schema: whole(64, 100_000).default(2_000),
    meaning: 'Tokens that the model may write for one answer, over all its steps',
  },
  LLM_TOKENS_FIELD: {
    schema: oneOf('max_tokens', 'max_completion_tokens').default('max_tokens'),
    meaning: "Field that tells the server how many; OpenAI's own reasoning models take max_completion_tokens alone",
  },
  LLM_CONTEXT_TOKENS: {
    schema: whole(8_000, 1_000_000).default(32_000),
    meaning:
      'Tokens, estimated as a third of the bytes, that one request to the model is filled up to; the question is whole however long it is',
  },
  LLM_TIMEOUT_SECONDS: {
    schema: whole(1, 3_600).default(120),
    meaning: 'Seconds that one answer may take, over all its steps',
  },
  LLM_SILENCE_SECONDS: {
    schema: whole(1, 280).default(60),
    meaning: 'Seconds that the server may be silent, before its answer and in it',
  },
} as const satisfies Record<string, Setting>
