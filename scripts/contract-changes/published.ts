import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deprecation } from '../../src/contract/shared/deprecation.ts'
import type { End } from './change.ts'
import { endIn, type Located, type Schema } from './schema-changes.ts'

/** The OpenAPI and the OpenRPC document of one version, as they are published. */
export type Documents = { openapi: OpenApi; openrpc: OpenRpc }

/** An operation as a document describes it. */
export type Published = {
  id: string
  /** `POST /api/v1/auth/login`, or the names of a method. */
  addresses: string[]
  /** What `x-trident` says of it. */
  facts: Record<string, unknown>
  /** The announced day of its removal. A provider's tool has none, because the gateway cannot announce one. */
  end?: End | undefined
  /** Content types of requests and responses. */
  forms: Record<string, string>
  /** Names of positional parameters. */
  order: string[]
  sent: Located
  answered: Located
}

type Content = Record<string, { schema: Schema }>
type Parameter = { name: string; required?: boolean; schema: Schema; deprecated?: boolean }
type Facts = { operation: string; deprecated?: Deprecation }
type RestOperation = {
  operationId: string
  deprecated?: boolean
  parameters: (Parameter | { $ref: string })[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { content: Content }>
  'x-trident': Facts
}
type RpcMethod = {
  name: string
  deprecated?: boolean
  params: Parameter[]
  result: { schema: Schema }
  'x-events'?: Schema
  'x-alias-of'?: string
  'x-trident'?: Facts
}
type OpenApi = {
  info: { version: string }
  paths: Record<string, Record<string, RestOperation>>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
  'x-trident': { tools: Record<string, Record<string, Schema>>; [table: string]: unknown }
}
type OpenRpc = { methods: RpcMethod[]; components: { schemas: Record<string, Schema> } }

/** The documents that lie in a folder. */
export async function documentsIn(folder: string): Promise<Documents> {
  const [openapi, openrpc] = await Promise.all(
    ['openapi', 'openrpc'].map(async (name) => JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'))),
  )
  return { openapi, openrpc }
}

/** Every operation of both documents and every tool that one of them calls, by the document and the id. */
export function publishedIn({ openapi, openrpc }: Documents): Map<string, Published> {
  const by =
    (document: string) =>
    (one: Published): [string, Published] => [`${document} ${one.id}`, one]
  const rest = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) =>
      restOperation(openapi, `${method.toUpperCase()} ${path}`, described),
    ),
  )
  const rpc = openrpc.methods.filter((method) => method['x-alias-of'] === undefined)
  const nowhere = { addresses: [], facts: {}, forms: {}, order: [], answered: { schema: {}, components: {} } }
  const tools = Object.entries(openapi['x-trident'].tools).flatMap(([provider, table]) =>
    Object.entries(table).map(([name, schema]) => ({
      ...nowhere,
      id: `${provider} tool ${name}`,
      sent: { schema, components: {} },
    })),
  )
  return new Map([
    ...rest.map(by('rest')),
    ...rpc.map((method) => rpcMethod(openrpc, method)).map(by('rpc')),
    ...tools.map(by('tool')),
  ])
}

function restOperation({ components }: OpenApi, address: string, described: RestOperation): Published {
  const { requestBody, responses, parameters } = described
  const named = parameters.map((one) => ('$ref' in one ? components.parameters[one.$ref.split('/').at(-1) ?? ''] : one))
  const [sentAs, body] = Object.entries(requestBody?.content ?? {})[0] ?? ['none', undefined]
  const [answeredAs, answer] = Object.entries(responses['200']?.content ?? {})[0] ?? ['none', undefined]
  const fields = [
    ...named.flatMap((one) => (one === undefined ? [] : [one])),
    ...(body === undefined ? [] : [{ name: 'body', required: requestBody?.required === true, schema: body.schema }]),
  ]
  return {
    id: described.operationId,
    addresses: [address],
    facts: described['x-trident'],
    end: endOfOperation(described),
    forms: { 'what is sent': sentAs, 'the answer': answeredAs },
    order: [],
    sent: { schema: closedObject(fields), components: components.schemas },
    answered: { schema: answer?.schema ?? {}, components: components.schemas },
  }
}

function rpcMethod({ methods, components }: OpenRpc, method: RpcMethod): Published {
  const aliases = methods.filter((one) => one['x-alias-of'] === method.name).map(({ name }) => name)
  return {
    id: method['x-trident']?.operation ?? method.name,
    addresses: [method.name, ...aliases],
    facts: method['x-trident'] ?? {},
    end: endOfOperation(method),
    forms: {},
    order: method.params.map(({ name }) => name),
    sent: { schema: closedObject(method.params), components: components.schemas },
    answered: { schema: method['x-events'] ?? method.result.schema, components: components.schemas },
  }
}

function endOfOperation(described: { deprecated?: boolean; 'x-trident'?: Facts }): End {
  return endIn({ deprecated: described.deprecated, 'x-deprecated': described['x-trident']?.deprecated })
}

function closedObject(fields: Parameter[]): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, schema, deprecated }) => [
        name,
        deprecated === undefined ? schema : { ...schema, deprecated },
      ]),
    ),
    required: fields.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  }
}
