import type { OperationId } from '../../contract/index.ts'
import type { Message } from './conversations.ts'

/** A mode of the assistant: the prompt of the language model, and the operations that it can use as tools. */
export type Team = {
  name: string
  /** The team's subjects in a phrase, for other teams that hand over to it. */
  work: string
  prompt: string
  operations: readonly OperationId[]
}

export interface Teams {
  readonly all: readonly Team[]
  /** The first team of a message. Earlier messages decide where the message itself says too little. */
  first(text: string, history: readonly Message[]): Team
}
