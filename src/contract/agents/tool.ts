import type { z } from 'zod'
import type { OperationId } from '../index.ts'

/** A tool of an agent, as its model reads it. */
export type AgentTool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> = {
  title: string
  description: string
  /** Fields and list items that its input may hold; absent: `bounds.usualValues`. */
  values?: number
  /** Flat fields, which models fill more surely than nested ones. */
  input: Input
  /** What the answer keeps of the outputs of operations. */
  output: Output
  /** The operations that it calls; none for one that calls what it is given by name. */
  serves: readonly OperationId[]
  /** Answers and refusals may repeat text that others wrote: names of tokens, research, data of chains and providers. */
  quotes?: true
  /** It moves money. */
  moves?: true
}

/** Declares a tool. An identity function that keeps the types of its schemas. */
export function agentTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  declaration: AgentTool<Input, Output>,
): AgentTool<Input, Output> {
  return declaration
}
