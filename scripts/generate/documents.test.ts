import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { contract } from '../../src/contract/index.ts'
import { operation } from '../../src/contract/shared/operation.ts'
import { jsonSchemas } from './json-schema.ts'
import { mcpFile } from './mcp.ts'
import { buildModel } from './model.ts'
import { openapiFile } from './openapi.ts'
import { openrpcFile } from './openrpc.ts'

const model = buildModel(contract)
const openapi = JSON.parse(openapiFile(model, '1.2.3'))
const openrpc = JSON.parse(openrpcFile(model, '1.2.3'))
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'openapi', ...openapi })
ajv.addSchema({ $id: 'openrpc', ...openrpc })

/** What is wrong with a value, by the schema at a place of a document. */
function faults(document: string, place: (string | number)[], value: unknown) {
  const pointer = place.map((key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')))
  const check = ajv.compile({ $ref: `${document}#/${pointer.join('/')}` })
  return check(value) ? [] : check.errors
}

type Content = Record<string, { example?: unknown }>
type Described = {
  operationId: string
  requestBody?: { content: Content }
  responses: Record<string, { content: Content }>
  parameters: object[]
}

const paths = Object.entries<Record<string, Described>>(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => [described.operationId, path, method, described] as const),
)

test('every operation with a binding is described once, with the errors that all have', () => {
  const bound = model.services.flatMap(({ methods }) => methods.filter(({ operation: { http } }) => http !== undefined))
  expect(paths.map(([id]) => id).sort()).toEqual(bound.map(({ id }) => id).sort())
  for (const [, , , { responses }] of paths) {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '401', '422', '429', '500']))
  }
})

test.each(paths)(
  'the examples of %s satisfy their schemas',
  (_id, path, method, { requestBody, responses, parameters }) => {
    const bodies = Object.entries(requestBody?.content ?? {}).map(
      ([type, { example }]) => [['requestBody', 'content', type], example] as const,
    )
    const answers = Object.entries(responses['200']?.content ?? {}).map(
      ([type, { example }]) => [['responses', '200', 'content', type], example] as const,
    )
    const fields = parameters.flatMap((parameter, index) =>
      'example' in parameter ? [[['parameters', index], parameter.example] as const] : [],
    )
    for (const [place, example] of [...bodies, ...answers, ...fields]) {
      expect(faults('openapi', ['paths', path, method, ...place, 'schema'], example)).toEqual([])
    }
  },
)

test('every component is a valid schema, and nothing of the generator shows', () => {
  for (const [document, { components }] of [
    ['openapi', openapi],
    ['openrpc', openrpc],
  ] as const) {
    for (const name of Object.keys(components.schemas)) ajv.compile({ $ref: `${document}#/components/schemas/${name}` })
  }
  expect(JSON.stringify([openapi, openrpc])).not.toMatch(/"proto"|__shared|"\$defs"|"\$schema"|root \d/)
})

type Rpc = {
  name: string
  params: { name: string }[]
  result: { schema: object }
  errors: { code: number }[]
  examples?: { params: { name: string; value: unknown }[]; result: { value: unknown } }[]
}
const methods: Rpc[] = openrpc.methods

test.each(methods.map((method, index) => [method.name, index, method] as const))(
  'the example of %s satisfies its schemas',
  (_name, index, method) => {
    expect(new Set(method.errors.map(({ code }) => code)).size).toBe(method.errors.length)
    for (const example of method.examples ?? []) {
      expect(faults('openrpc', ['methods', index, 'result', 'schema'], example.result.value)).toEqual([])
      for (const { name, value } of example.params) {
        const at = method.params.findIndex((param) => param.name === name)
        expect(faults('openrpc', ['methods', index, 'params', at, 'schema'], value)).toEqual([])
      }
    }
  },
)

test('every method and alias of the node has an entry, and so has what the protocol itself answers', () => {
  const names = model.services.flatMap((service) =>
    service.methods.flatMap(({ operation: { rpc } }) => (rpc ? [rpc.method, ...(rpc.aliases ?? [])] : [])),
  )
  expect(methods.map(({ name }) => name)).toEqual([...names, 'eth_unsubscribe', 'rpc.discover'])
})

test('a component with two forms is two, and so is what refers to it', () => {
  const inner = z.strictObject({ a: z.string().default('x') }).meta({ id: 'SampleTwoForms' })
  const outer = z.strictObject({ inner }).meta({ id: 'SampleOuter' })
  const plain = z.object({ b: z.string() }).meta({ id: 'SampleOneForm' })
  const shape = z.strictObject({ outer, plain })
  const rest = { kind: 'unary', summary: 'x', auth: 'none', rate: 'default', errors: [] } as const
  const value = { outer: { inner: { a: 'x' } }, plain: { b: 'x' } }
  const one = operation({ ...rest, input: shape, output: shape, example: { input: value, output: value } })
  const { components, inputs } = jsonSchemas([['x.one', one]])
  expect(components.map(([name]) => name)).toEqual([
    'SampleOneForm',
    'SampleOuter',
    'SampleOuterInput',
    'SampleTwoForms',
    'SampleTwoFormsInput',
  ])
  expect(inputs.get('x.one')).toMatchObject({
    properties: { outer: { $ref: '#/components/schemas/SampleOuterInput' } },
  })
})

test('a form has a schema of its own after that of JSON', () => {
  const forms = paths.filter(([, , , { requestBody }]) => Object.keys(requestBody?.content ?? {}).length > 1)
  expect(forms.map(([id]) => id)).toEqual(['auth.login', 'auth.renameSession'])
  for (const [, , , { requestBody }] of forms) {
    const content = Object.entries(requestBody?.content ?? {}) as [string, { schema: { $ref: string } }][]
    expect(content.map(([type]) => type)).toEqual(['application/json', 'application/x-www-form-urlencoded'])
    expect(content.map(([, { schema }]) => /(Input|Form)$/.exec(schema.$ref)?.[0])).toEqual(['Input', 'Form'])
  }
})

test('no tool of MCP has a schema with propertyNames, which some models refuse', () => {
  expect(mcpFile()[1]).not.toContain('"propertyNames":')
})
