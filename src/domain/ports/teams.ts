import type { OperationId } from '../../contract/index.ts'
import type { Message } from './conversations.ts'

/** One of the assistant's ways of working: what a language model is told, and the operations it may use as tools. */
export type Team = {
  name: string
  /** What the team is for, in a phrase, so that another can hand over to it. */
  work: string
  prompt: string
  operations: readonly OperationId[]
}

export interface Teams {
  readonly all: readonly Team[]
  /** The team that a message goes to first; what was said before it helps where it says too little by itself. */
  first(text: string, history: readonly Message[]): Team
}
