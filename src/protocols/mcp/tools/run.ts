import type { z } from 'zod'
import type { agentTools, ToolName } from '../../../contract/agents/tools.ts'
import type { OperationId, OperationOf } from '../../../contract/index.ts'
import type { PersonAgreesTo } from '../../../contract/shared/grants.ts'
import type { Dialogue, Question } from './dialogue.ts'

type Tools = typeof agentTools
type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : never
type Checked<Schema> = Schema extends z.ZodType ? z.output<Schema> : never

/** What agents may call tokens, as the chains know them. */
export type Words = {
  /** The default chain, where none is named. */
  chainId(named: number | undefined): number
  /** The token that a field names by its symbol or its address. Throws INVALID_ARGUMENT where the chain has none. */
  token(chainId: number, named: string, field: string): { symbol: string; address: string }
  chainName(chainId: number): string
}

/** Calls one of the parts of the operation that is being called, for its input. */
type Part = <Id extends OperationId>(
  id: Id,
  input: Sent<OperationOf<Id>['input']>,
) => Promise<Checked<OperationOf<Id>['output']>>

/** What a call of a tool may use. */
export type ToolRun = {
  /** Calls an operation. `read` makes its input once the call is counted; a refusal is thrown. */
  call<Id extends OperationId>(
    id: Id,
    read: (part: Part) => Sent<OperationOf<Id>['input']> | Promise<Sent<OperationOf<Id>['input']>>,
  ): Promise<Checked<OperationOf<Id>['output']>>
  /** The same for an id that only the call itself names, with the fields that the operation ignored. */
  callNamed(id: OperationId, input: unknown): Promise<{ output: unknown; ignored: string | undefined }>
  /** Which trades a person agrees to. */
  overMcp: PersonAgreesTo
  words: Words
  dialogue: Dialogue
  newId(): string
}

/** Answers a call of a tool, or asks a person first. The answer may have more than its output schema keeps. */
export type Tool<Name extends ToolName> = (
  fields: z.output<Tools[Name]['input']>,
  run: ToolRun,
) => Promise<z.input<Tools[Name]['output']> | Question>
