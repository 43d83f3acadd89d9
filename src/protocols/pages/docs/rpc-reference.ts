import type { ShownDocument } from './reference-page.ts'

type Named = { name: string; required?: boolean; description?: string; schema?: object }

type Method = {
  name: string
  summary?: string
  description?: string
  params: readonly Named[]
  result: { schema?: object }
  errors?: readonly { code: number; message: string }[]
  examples?: readonly { params: readonly { value: unknown }[]; result: { value: unknown } }[]
}

/** The parts of an OpenRPC document that the reference shows. */
export type RpcDocument = {
  info: { title: string; description?: string; version?: string }
  servers?: readonly { url?: string }[]
  methods: readonly Method[]
  components?: { schemas?: object }
}

/**
 * The methods of the node as an OpenAPI document, so that one reference shows both: each is a POST of its own message to
 * /rpc, with the method after a # that no request carries.
 */
export function rpcReference({ info, servers, methods, components = {} }: RpcDocument): ShownDocument {
  const node = servers?.[0]?.url ?? ''
  const paths = methods.map((method) => [`/rpc#${method.name}`, { post: operationOf(method, node) }])
  const document = {
    openapi: '3.1.0',
    info: { version: '', ...info, description: `${info.description ?? ''} Requests of this page go to \`/rpc\`.` },
    tags: [...new Set(methods.map(groupOf))].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components,
  }
  return document
}

/** The namespace of a method, such as `eth`. */
function groupOf({ name }: Method): string {
  return name.split('_')[0] ?? name
}

function operationOf(method: Method, node: string): object {
  const [example] = method.examples ?? []
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: method.name,
    params: example?.params.map(({ value }) => value) ?? [],
  }
  const failures = (method.errors ?? []).map(({ code, message }) => `- \`${code}\` ${message}`)
  return {
    operationId: method.name,
    tags: [groupOf(method)],
    summary: method.summary === undefined ? method.name : `${method.name}: ${method.summary}`,
    description: [
      method.description ?? '',
      ...method.params.map(({ name, required, description }) =>
        `- \`${name}\`${required === true ? '' : ' (optional)'} ${description ?? ''}`.trim(),
      ),
      ...(failures.length === 0 ? [] : ['', 'Errors ([what to do](/docs/guides/rules#errors)):', '', ...failures]),
    ].join('\n'),
    requestBody: { required: true, content: { 'application/json': { schema: requestOf(method), example: message } } },
    responses: {
      200: {
        description: 'The result, or an error.',
        content: {
          'application/json': {
            schema: answerOf(method),
            example: { jsonrpc: '2.0', id: 1, result: example?.result.value ?? null },
          },
        },
      },
    },
    'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: curlOf(message, node) }],
  }
}

function requestOf({ name, params }: Method): object {
  const items = params.map(({ name: title, description, schema }) => ({
    title,
    ...(description && { description }),
    ...schema,
  }))
  return {
    type: 'object',
    required: ['jsonrpc', 'id', 'method', 'params'],
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: 'integer' },
      method: { const: name },
      params: { type: 'array', prefixItems: items },
    },
  }
}

function answerOf({ result }: Method): object {
  return {
    type: 'object',
    properties: { jsonrpc: { const: '2.0' }, id: { type: 'integer' }, result: result.schema ?? {} },
  }
}

function curlOf(message: object, node: string): string {
  const body = JSON.stringify(message, null, 2).replaceAll("'", "'\\''")
  return `curl '${node}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`
}
