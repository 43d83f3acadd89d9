import type { AssistantState, HistoryMessage } from './conversations.ts'

/** An operation that the assistant may call for one caller; none of them sends or trades anything. */
export type AssistantTool = {
  /** The operation's id with `_` for the point, such as `trading_quote`. */
  name: string
  /** Id of the operation in the contract, such as `trading.quote`. */
  operation: string
  description: string
  /** JSON Schema of the arguments, made from the contract. */
  inputSchema: Record<string, unknown>
  /** Answers plain JSON data; throws DomainError with a sentence fit for the caller. */
  run(input: Record<string, unknown>): Promise<Record<string, unknown>>
}

/** What one request to a model cost, as its server tells or, where it does not, as it is estimated. */
export type TokensUsed = { inputTokens: number; outputTokens: number }

export type AssistantRequest = {
  /** What was said before `text`, oldest first. */
  history: readonly HistoryMessage[]
  text: string
  tools: ReadonlyMap<string, AssistantTool>
  signal: AbortSignal
  /** Reports what a step cost; never throws. */
  report(used: TokensUsed): void
  /** Stores a state with the answer, in place of one recorded before; later answers find it in their history. */
  record(state: AssistantState): void
}

/** What the sources of a research answered, in the words of the contract, and how each did. */
export type Findings = {
  graph_data?: Record<string, unknown>
  analytics_rows?: readonly Record<string, unknown>[]
  analytics_state?: string
  defi_results?: readonly { tool: string; result: Record<string, unknown> }[]
  parts: readonly { part: string; state: string; source?: string; message?: string }[]
}

/** Writes the reply piece by piece. */
export interface Assistant {
  /** Name of what answers, such as `embedded-rules`; never passed off as something else. */
  readonly model: string
  reply(request: AssistantRequest): AsyncIterable<string>
  /** Sums findings up, from themselves alone. */
  summarize(findings: Findings, request: Pick<AssistantRequest, 'signal' | 'report'>): Promise<string>
}
