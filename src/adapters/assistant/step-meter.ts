import type { TextStreamPart, ToolSet } from 'ai'
import type { TokensUsed } from '../../domain/ports/assistant.ts'
import { tokensOf } from './fit-history.ts'

/** Counts the parts of an answer; `end` after the last one. */
export type StepMeter = { count(part: TextStreamPart<ToolSet>): void; end(): void }

/**
 * Reports the cost of each step: the tokens that the server counts, else an estimate from its request and its output, for
 * a step that is broken off costs too.
 */
export function createStepMeter(report: (used: TokensUsed) => void): StepMeter {
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
      else if (step !== null) step.outputTokens += tokensOf(textOf(part))
    },
    end,
  }
}

/** The text that the model wrote in a part: the answer, its reasoning, or arguments of a tool. */
function textOf(part: TextStreamPart<ToolSet>): string {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.text
  return part.type === 'tool-input-delta' ? part.delta : ''
}
