import { isStepCount, type LanguageModel, type StepResult, streamText, type TextStreamPart, type ToolSet } from 'ai'
import { DomainError } from '../../domain/core/errors.ts'
import type { AssistantRequest, TokensUsed } from '../../domain/ports/assistant.ts'
import { timeLimit } from '../../kit/time-limit.ts'
import { wholeCharacters } from './answer-text.ts'
import { tokensOf } from './fit-history.ts'
import { modelError } from './model-errors.ts'
import type { Turn } from './turn.ts'

/** The most requests to the model in one answer, calls of tools in one of them, and tools that run side by side. */
const [mostSteps, mostCalls, toolsAtOnce] = [8, 64, 4]

/** The limits of one answer: tokens that the model writes in all steps, and its time. */
export type AnswerBounds = { maxTokens: number; timeoutMs: number }

/** Lets the model write an answer, step by step. Ends without an error where the caller stopped it; throws only DomainError. */
export async function* writeAnswer(
  model: LanguageModel,
  turn: Turn,
  request: AssistantRequest,
  { maxTokens, timeoutMs }: AnswerBounds,
): AsyncGenerator<string> {
  const ended = new AbortController()
  const late = timeLimit(timeoutMs)
  const meter = createStepMeter(request.report)
  const spent = (steps: readonly StepResult<ToolSet>[]) => steps.reduce((sum, step) => sum + outputOf(step), 0)
  const { stream } = streamText({
    model,
    abortSignal: AbortSignal.any([request.signal, ended.signal, late]),
    allowSystemInMessages: false,
    messages: turn.next([], false).messages,
    tools: turn.tools,
    toolCallConcurrency: toolsAtOnce,
    include: { requestBody: true },
    prepareStep: ({ stepNumber, steps, responseMessages }) => ({
      ...turn.next(responseMessages, stepNumber === mostSteps - 1),
      maxOutputTokens: Math.max(1, maxTokens - spent(steps)),
    }),
    stopWhen: [isStepCount(mostSteps), ({ steps }) => spent(steps) >= maxTokens],
    onError: () => undefined, // the stream has it too
  })
  try {
    yield* inPieces(wholeCharacters(textOf(stream, meter, maxTokens)))
  } catch (thrown) {
    if (request.signal.aborted) return
    throw late.aborted ? tooLate(timeoutMs) : modelError(thrown)
  } finally {
    meter.end()
    ended.abort()
  }
}

async function* textOf(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  meter: StepMeter,
  maxTokens: number,
): AsyncGenerator<string> {
  let written = 0
  let thought = 0
  let isNewStep = true
  let lead = ''
  let calls = 0
  const parted = (text: string) => (written > 0 ? `\n\n${text}` : text)
  for await (const part of stream) {
    meter.count(part)
    if (part.type === 'error') throw part.error
    if (part.type === 'abort') throw new Error('aborted')
    if (part.type === 'reasoning-delta') thought += tokensOf(part.text)
    if (part.type === 'text-delta') {
      lead += part.text
      if (isNewStep && lead.trim() === '') continue
      // Blank lines before a step, and what is left after thoughts, are no part of the answer.
      const text = isNewStep ? lead.replace(thought > 0 ? /^\s+/ : /^\s*\n/, '') : lead
      lead = ''
      yield isNewStep ? parted(text) : text
      isNewStep = false
      written += tokensOf(text)
    }
    // The server ignores the limit of tokens. The estimate is too high, so twice as many are allowed.
    if (written + thought > 2 * maxTokens) {
      if (written === 0) throw emptyAnswer()
      return yield cutNote
    }
    if (part.type === 'tool-call') {
      calls += 1
      if (calls > mostCalls) return yield parted(enoughNote)
    }
    if (part.type === 'finish-step') {
      isNewStep = true
      lead = ''
      calls = 0
    }
    if (part.type === 'finish') {
      const note = notes[part.finishReason]
      if (written === 0 && (note === undefined || note === cutNote)) throw emptyAnswer()
      if (note !== undefined) yield parted(note)
    }
  }
}

const cutNote = 'The answer has reached the longest allowed length and ends here. Ask for the rest.'
const enoughNote = 'This answer has reached the most allowed steps and ends here. Ask for a part of it.'

/** The note of an answer that ended early, by the reason. */
const notes: Readonly<Record<string, string>> = {
  length: cutNote,
  'tool-calls': enoughNote,
  'content-filter': 'The language model refused to continue.',
}

function emptyAnswer(): DomainError {
  const message = 'The language model returned no answer, or thoughts alone. Ask again, or raise LLM_MAX_TOKENS.'
  return new DomainError('UNAVAILABLE', message)
}

/** Splits the first text, so that an answer of at least two characters has at least two pieces. */
async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true
  for await (const text of texts) {
    const [word = text] = isFirst ? (/^\s*\S+\s+(?=\S)/.exec(text) ?? /^./u.exec(text) ?? []) : []
    yield word
    if (word.length < text.length) yield text.slice(word.length)
    isFirst = false
  }
}

function outputOf({ usage, text, reasoningText = '' }: StepResult<ToolSet>): number {
  return usage.outputTokens ?? tokensOf(text + reasoningText)
}

function tooLate(timeoutMs: number): DomainError {
  const message = `The language model did not finish within ${timeoutMs / 1_000} s. Ask for less at once, or ask again.`
  return new DomainError('DEADLINE_EXCEEDED', message)
}

/** Counts the parts of an answer; `end` after the last one. */
type StepMeter = { count(part: TextStreamPart<ToolSet>): void; end(): void }

/**
 * Reports the cost of each step: the tokens that the server counts, else an estimate from its request and its output, for
 * a step that is broken off costs too.
 */
function createStepMeter(report: (used: TokensUsed) => void): StepMeter {
  let step: TokensUsed | null = null
  const end = (counted: { [Field in keyof TokensUsed]?: number | undefined } = {}) => {
    if (step === null) return
    const { inputTokens, outputTokens } = step
    step = null
    report({ inputTokens: counted.inputTokens ?? inputTokens, outputTokens: counted.outputTokens ?? outputTokens })
  }
  return {
    count(part) {
      if (part.type === 'start-step')
        step = { inputTokens: tokensOf(JSON.stringify(part.request.body ?? '')), outputTokens: 0 }
      else if (part.type === 'finish-step') end(part.usage)
      else if (step !== null) step.outputTokens += tokensOf(writtenIn(part))
    },
    end,
  }
}

/** The text that the model wrote in a part: the answer, its reasoning, or arguments of a tool. */
function writtenIn(part: TextStreamPart<ToolSet>): string {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.text
  return part.type === 'tool-input-delta' ? part.delta : ''
}
