import type { TextStreamPart, ToolSet } from 'ai'
import type { TokensUsed } from '../../domain/ports/assistant.ts'
import { tokensOf } from './fit-history.ts'

/** Hears the parts of an answer, and that no more follow. */
export type StepMeter = { hear(part: TextStreamPart<ToolSet>): void; end(): void }

/**
 * Reports what each step that began to answer cost: as many tokens as the server tells, else as many as are estimated
 * of what it was sent and wrote, for a step that is broken off was paid for too.
 */
export function createStepMeter(report: (used: TokensUsed) => void): StepMeter {
  let step: TokensUsed | null = null
  const end = (told: { [Field in keyof TokensUsed]?: number | undefined } = {}) => {
    if (step === null) return
    const { inputTokens, outputTokens } = step
    step = null
    report({ inputTokens: told.inputTokens ?? inputTokens, outputTokens: told.outputTokens ?? outputTokens })
  }
  return {
    hear(part) {
      if (part.type === 'start-step')
        step = { inputTokens: tokensOf(JSON.stringify(part.request.body ?? '')), outputTokens: 0 }
      else if (part.type === 'finish-step') end(part.usage)
      else if (step !== null) step.outputTokens += tokensOf(wordsOf(part))
    },
    end,
  }
}

/** What the model wrote in a part: text, thoughts or arguments of a tool. */
function wordsOf(part: TextStreamPart<ToolSet>): string {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.text
  return part.type === 'tool-input-delta' ? part.delta : ''
}
