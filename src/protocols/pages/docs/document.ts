/** The parts of an OpenAPI document that the API reference shows. */
export type ShownDocument = {
  info: { version: string; description?: string }
  paths?: Record<string, Record<string, Operation>>
  components?: {
    schemas?: Record<string, Schema>
    securitySchemes?: Record<string, { description?: string }>
    responses?: Record<string, DocumentedResponse>
    parameters?: Record<string, Parameter>
  }
}

export type Reference = { $ref: string }

export type Operation = {
  operationId?: string
  summary?: string
  description?: string
  tags?: readonly string[]
  security?: readonly Record<string, readonly string[]>[]
  parameters?: readonly (Parameter | Reference)[]
  requestBody?: { content: Content }
  responses?: Record<string, DocumentedResponse | Reference>
}

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema }
type DocumentedResponse = { description: string; content?: Content }
export type Content = Record<string, { schema?: Schema; example?: unknown }>

/** `contentSchema` is the schema of each event of a stream. */
export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  properties?: Record<string, Schema>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: readonly Schema[]
  enum?: readonly unknown[]
  const?: unknown
  contentSchema?: Schema
}

/** The last part of a reference: the name of its target. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}
