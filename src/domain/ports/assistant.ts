import type { Message } from './conversations.ts'

/** A fact source the assistant may use; the domain builds them over its own operations for one caller. */
export type AssistantTool = {
  name: string
  description: string
  /** Answers plain JSON data; throws DomainError with a sentence fit for the caller. */
  run(input: Record<string, unknown>): Promise<Record<string, unknown>>
}

export type AssistantRequest = {
  history: readonly Message[]
  text: string
  tools: ReadonlyMap<string, AssistantTool>
  signal: AbortSignal
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
  summarize(findings: Findings, signal: AbortSignal): Promise<string>
}
