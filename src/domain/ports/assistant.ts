import type { OperationId } from '../../contract/index.ts'
import type { AssistantState, HistoryMessage, Message } from './conversations.ts'

/** An operation that the assistant can call for one caller; none of them sends or trades anything. */
export type AssistantTool = {
  /** The operation's id with `_` in place of the dot, such as `trading_quote`. */
  name: string
  /** Id of the operation in the contract, such as `trading.quote`. */
  operation: string
  description: string
  /** JSON Schema of the arguments, made from the contract. */
  inputSchema: Record<string, unknown>
  /** Returns plain JSON data; throws DomainError with a message for the caller. */
  run(input: Record<string, unknown>): Promise<Record<string, unknown>>
}

/** The cost of one request to a model, as its server counts it, or else an estimate. */
export type TokensUsed = { inputTokens: number; outputTokens: number }

export type AssistantRequest = {
  /** The messages before `text`, oldest first. */
  history: readonly HistoryMessage[]
  text: string
  tools: ReadonlyMap<string, AssistantTool>
  signal: AbortSignal
  /** Reports the cost of a step; never throws. */
  report(used: TokensUsed): void
  /** Stores a state with the answer and replaces an earlier one. Later answers find it in their history. */
  record(state: AssistantState): void
}

/** The results of the sources of a research, with the contract's field names, and the state of each source. */
export type Findings = {
  graph_data?: Record<string, unknown>
  analytics_rows?: readonly Record<string, unknown>[]
  analytics_state?: string
  defi_results?: readonly { tool: string; result: Record<string, unknown> }[]
  parts: readonly { part: string; state: string; source?: string; message?: string }[]
}

/** Writes the reply piece by piece. */
export interface Assistant {
  /** The name of the assistant, such as `embedded-rules`; callers see it. */
  readonly model: string
  reply(request: AssistantRequest): AsyncIterable<string>
  /** Summarizes the findings without any other source. */
  summarize(findings: Findings, request: Pick<AssistantRequest, 'signal' | 'report'>): Promise<string>
}

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
  /** The team that starts on a message. Earlier messages decide where the message alone is not enough. */
  first(text: string, history: readonly Message[]): Team
}
