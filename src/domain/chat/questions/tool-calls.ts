/** Plain JSON data that a tool returned. */
export type ToolResult = Record<string, unknown>

/** Calls one of the request's tools. Throws DomainError with a message for the caller. */
export type CallTool = (tool: string, input: Record<string, unknown>) => Promise<ToolResult>

/** The text of an answer, piece by piece as it is written. */
export type TextPieces = AsyncGenerator<string> | Generator<string>

/** Why the rules cannot answer a request; the message is for the caller, and `isWhole` where nothing leads to it. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly isWhole: boolean

  constructor(message: string, isWhole = false) {
    super(message)
    this.isWhole = isWhole
  }
}
