import {
  commonErrors,
  type ErrorCode,
  errorTable,
  rpcMessage,
  simulationErrors,
} from '../../src/contract/shared/errors.ts'
import type { RpcBinding } from '../../src/contract/shared/operation.ts'
import { factsOf } from './facts.ts'
import { type JsonSchema, jsonSchemas } from './json-schema.ts'
import type { Method, Model } from './model.ts'
import { unwrap } from './schema.ts'
import { header } from './write.ts'

type Bound = Method & { rpc: RpcBinding }

/**
 * The OpenRPC document of every operation with a JSON-RPC name, where an alias is a method too, and of the methods of the
 * protocol itself. A node that serves it adds its own URL.
 */
export function openrpcFile(model: Model, version: string): string {
  const bound = model.services.flatMap(({ methods }) => methods.flatMap(boundOf))
  const { components, inputs, outputs } = jsonSchemas(bound.map(({ id, operation }) => [id, operation]))
  const methods = bound.flatMap((method) =>
    [method.rpc.method, ...(method.rpc.aliases ?? [])].map((name) =>
      methodOf(name, method, inputs.get(method.id) ?? {}, outputs.get(method.id) ?? {}),
    ),
  )
  const document = {
    openrpc: '1.3.2',
    info: {
      title: 'Trident node',
      version,
      description:
        'JSON-RPC of the rollup, over HTTP POST and WebSocket. A filter is removed when it is not read for 5 minutes. A subscription ends with its connection or by eth_unsubscribe.',
      license: { name: 'MIT' },
    },
    servers: [
      {
        name: 'This machine',
        url: 'http://127.0.0.1:8545',
        summary: 'A node with its default settings; WebSocket on the same address',
      },
    ],
    'x-generated': header,
    methods: [...methods, ...ownMethods],
    components: { schemas: Object.fromEntries(components) },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Methods that are not operations: the end of a subscription, which belongs to its connection, and this document. */
const ownMethods = [
  {
    name: 'eth_unsubscribe',
    summary: 'Ends a subscription of this connection; false where there was none',
    paramStructure: 'either',
    params: [{ name: 'subscription', required: true, schema: subscriptionId() }],
    result: { name: 'result', schema: { type: 'boolean' } },
    errors: errorsOf(['INVALID_ARGUMENT', 'RATE_LIMITED', 'UNIMPLEMENTED']),
    examples: [
      {
        name: 'example',
        params: [{ name: 'subscription', value: '0x9cef478923ff08bf67fde6c64013158d' }],
        result: { name: 'result', value: true },
      },
    ],
  },
  {
    name: 'rpc.discover',
    summary: 'This document',
    paramStructure: 'either',
    params: [],
    result: { name: 'document', schema: { type: 'object' } },
    errors: errorsOf(['RATE_LIMITED']),
  },
]

function subscriptionId(): JsonSchema {
  return { type: 'string', pattern: '^0x[0-9a-f]+$' }
}

function boundOf(method: Method): Bound[] {
  const { rpc } = method.operation
  return rpc === undefined ? [] : [{ ...method, rpc }]
}

function methodOf(name: string, method: Bound, input: JsonSchema, output: JsonSchema) {
  const { operation, stream, rpc } = method
  const properties = (input.properties ?? {}) as Record<string, JsonSchema>
  const { summary, description, deprecated } = operation
  const codes = [...new Set<ErrorCode>([...commonErrors, ...operation.errors])]
  return {
    name,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated: true }),
    ...(name === rpc.method ? {} : { 'x-alias-of': rpc.method }),
    paramStructure: 'either',
    params: rpc.params.map((param) => paramOf(param, properties[param] ?? {}, operation.input.shape[param])),
    result: stream ? subscription : { name: 'result', schema: rpc.orNull ? orNull(output) : output },
    ...(stream ? { 'x-events': output } : {}),
    errors: errorsOf(
      codes.filter((code) => code !== 'NOT_FOUND' || rpc.orNull === undefined),
      rpc.method,
    ),
    ...(stream ? {} : { examples: [exampleOf(rpc, operation.example)] }),
    'x-trident': factsOf(method),
  }
}

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] }
}

/** One entry for all errors with the same code: OpenRPC allows each code once. */
function errorsOf(codes: ErrorCode[], method?: string) {
  const byNumber = Map.groupBy(codes, (code) => errorTable[code].jsonRpc)
  const listed = [...byNumber].map(([code, members]) => ({
    code,
    message: rpcMessage(code, members.map((member) => errorTable[member].title).join('; ')),
  }))
  if (method !== 'eth_simulateV1') return listed
  return [...listed, ...Object.values(simulationErrors).map(({ jsonRpc: code, title: message }) => ({ code, message }))]
}

const subscription = {
  name: 'subscription',
  summary: 'Id of the subscription; its events come as notifications named eth_subscription',
  schema: subscriptionId(),
}

function paramOf(name: string, schema: JsonSchema, field: Parameters<typeof unwrap>[0] | undefined) {
  const { description, deprecated, ...rest } = schema
  const required = field !== undefined && !unwrap(field).optional
  const words = {
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
  }
  return { name, required, ...words, schema: rest }
}

function exampleOf({ params }: RpcBinding, { input, output }: { input: Record<string, unknown>; output: unknown }) {
  const given = params.filter((name) => input[name] !== undefined)
  return {
    name: 'example',
    params: given.map((name) => ({ name, value: input[name] })),
    result: { name: 'result', value: output },
  }
}
