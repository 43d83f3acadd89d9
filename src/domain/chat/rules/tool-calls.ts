import type { ToolAnswer } from './replies.ts'

/** Calls one of the request's tools; a refusal is a DomainError whose message is fit for the caller. */
export type Look = (tool: string, input: Record<string, unknown>) => Promise<ToolAnswer>

/** Pieces of an answer as they are found out. */
export type Pieces = AsyncGenerator<string> | Generator<string>
