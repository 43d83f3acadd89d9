import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi'
import { inRestWords, resumeFieldOf } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { problem } from '../../src/contract/shared/problem.ts'
import { isStrict } from '../../src/contract/shared/unknown-fields.ts'
import { csvOf } from '../../src/protocols/rest/csv.ts'
import { factsOf, tables } from './facts.ts'
import { nameTraps, patternTraps } from './generator-traps.ts'
import { type JsonSchema, jsonSchemas } from './json-schema.ts'
import type { Method, Model } from './model.ts'
import { typeName } from './names.ts'
import { errorResponses } from './openapi-errors.ts'
import { linesBelow } from './openapi-links.ts'
import {
  commonHeaders,
  endHeaders,
  headers,
  ignoredHeader,
  info,
  parameterRef,
  parameters,
  securityOf,
  securitySchemes,
  servers,
  streamHeader,
} from './openapi-parts.ts'
import { streamResponses } from './openapi-streams.ts'
import { type Bound, hasBody, pathFields } from './samples/bound.ts'
import { samplesOf } from './samples/samples.ts'
import { unwrap } from './schema.ts'
import { header } from './write.ts'

type Content = Record<string, { schema: JsonSchema; example?: unknown }>

/** The OpenAPI 3.1 document of every operation that has an HTTP binding. */
export function openapiFile(model: Model, version: string): string {
  const bound = model.services.flatMap(({ methods }) => methods.flatMap(boundOf))
  const schemas = jsonSchemas(
    bound.map(({ id, operation }) => [id, operation]),
    [problem],
  )
  const registry = new OpenAPIRegistry()
  const component = (name: string, schema: JsonSchema): JsonSchema => {
    if (!('$ref' in schema)) registry.registerComponent('schemas', name, schema)
    return '$ref' in schema ? schema : { $ref: `#/components/schemas/${name}` }
  }
  const named = (method: Bound, end: 'Input' | 'Form' | 'Output', schema: JsonSchema) =>
    isPlainObject(schema) ? component(typeName(method, end), schema) : schema
  const outputOf = ({ id }: Bound) => schemas.outputs.get(id) ?? {}
  for (const [name, schema] of schemas.components) component(name, schema)
  for (const method of bound) {
    const input = schemas.inputs.get(method.id) ?? {}
    const output = named(method, 'Output', outputOf(method))
    const failures = errorResponses(method.operation, method.http, output)
    for (const [name, response] of failures.components) registry.registerComponent('responses', name, response)
    registry.registerPath({
      method: method.http.method.toLowerCase() as RouteConfig['method'],
      path: method.http.path,
      operationId: method.id,
      tags: [method.group],
      summary: method.operation.summary,
      description: [method.operation.description ?? '', linesBelow(method)].filter((part) => part !== '').join('\n\n'),
      ...(method.operation.deprecated === undefined ? {} : { deprecated: true }),
      security: securityOf(method.operation),
      parameters: parametersOf(method, input),
      ...requestBody(method, input, (schema, end) => named(method, end, schema)),
      responses: { ...success(method, output), ...failures.byStatus },
      'x-trident': factsOf(method),
      'x-codeSamples': samplesOf(method),
    } as RouteConfig)
  }
  for (const [name, part] of Object.entries(headers)) registry.registerComponent('headers', name, part)
  for (const [name, part] of Object.entries(parameters)) registry.registerComponent('parameters', name, part)
  for (const [name, part] of Object.entries(securitySchemes)) registry.registerComponent('securitySchemes', name, part)
  const groups = [...new Set(bound.map(({ group }) => group))]
  const { webhooks: _, ...document } = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { ...info, version },
    servers,
    tags: groups.map((name) => ({ name, description: `Operations of the group ${name}` })),
  })
  const whole = { ...document, 'x-generated': header, 'x-trident': tables, components: sorted(document.components) }
  const names = Object.keys(document.components?.schemas ?? {})
  const operations = bound.map((method) => typeName(method, ''))
  const traps = [...nameTraps(names, operations), ...patternTraps(whole)]
  if (traps.length > 0) throw new Error(traps.join('\n'))
  return `${JSON.stringify(whole, describedInRestWords, 2)}\n`
}

/** The names on other protocols, which `linesBelow` writes, stay as they are. */
function describedInRestWords(key: string, value: unknown): unknown {
  if ((key !== 'description' && key !== 'summary') || typeof value !== 'string') return value
  const [text = '', ...below] = value.split(/(?=tRPC `)/)
  return [inRestWords(text), ...below].join('')
}

function boundOf(method: Method): Bound[] {
  const { http } = method.operation
  return http === undefined ? [] : [{ ...method, http }]
}

function isPlainObject(schema: JsonSchema): boolean {
  return schema.type === 'object' && Object.keys(propertiesOf(schema)).length > 0
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>
}

const absentWords = '; the nil UUID, all zeros, where another field is sent in its place'

function parametersOf({ operation, http }: Bound, input: JsonSchema): unknown[] {
  const example: Record<string, unknown> = operation.example.input
  const inPath = pathFields(http)
  const fields = Object.entries(propertiesOf(input)).filter(([name]) => inPath.includes(name) || !hasBody(http))
  const absent = (name: string) => (inPath.includes(name) && isOptional(operation, name) ? absentWords : '')
  const own = fields.map(([name, { description, deprecated, ...schema }]) => ({
    name,
    in: inPath.includes(name) ? 'path' : 'query',
    required: inPath.includes(name) || !isOptional(operation, name),
    ...(description === undefined ? {} : { description: `${description}${absent(name)}` }),
    ...(deprecated === undefined ? {} : { deprecated }),
    schema,
    ...(example[name] === undefined ? {} : { example: example[name] }),
  }))
  const resumes = resumeFieldOf(operation) === null ? [] : [parameterRef('LastEventId')]
  return [...own, ...resumes, parameterRef('RequestId')]
}

function isOptional({ input }: Operation, name: string): boolean {
  const field = input.shape[name]
  return field !== undefined && unwrap(field).optional
}

/** The input without the fields of the path. */
function requestBody(
  { operation, http }: Bound,
  input: JsonSchema,
  named: (schema: JsonSchema, end: 'Input' | 'Form') => JsonSchema,
) {
  if (!hasBody(http)) return {}
  const inPath = pathFields(http)
  const kept = <T>(fields: Record<string, T>) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath.includes(name)))
  const required = ((input.required ?? []) as string[]).filter((name) => !inPath.includes(name))
  const { required: _, ...rest } = input
  const own =
    '$ref' in input
      ? input
      : { ...rest, properties: kept(propertiesOf(input)), ...(required.length === 0 ? {} : { required }) }
  const example = kept(operation.example.input)
  const form = http.body === 'form' ? named(own, 'Form') : null
  // JSON is first, and each has a schema of its own: generators take the first, or choose by the type of the object. That
  // of JSON names that of the form, for a schema which only a form has is none to some generators, and a
  // second rule, without which others take it for that of the form.
  const content: Content = {
    'application/json': {
      schema: named(form === null ? own : { ...own, allOf: [form, { type: 'object' }] }, 'Input'),
      example,
    },
    ...(form !== null && { 'application/x-www-form-urlencoded': { schema: form, example } }),
  }
  return { request: { body: { required: required.length > 0, content } } }
}

function success({ operation, http, stream }: Bound, output: JsonSchema) {
  const { example, secret, deprecated, input } = operation
  const announced = {
    ...commonHeaders,
    ...(isStrict(input) ? {} : ignoredHeader),
    ...(deprecated === undefined ? {} : endHeaders),
  }
  if (stream) return streamResponses(operation, http, output, { ...announced, ...streamHeader })
  const caching = secret === true ? ' It contains a secret and must not be cached.' : ''
  const csv = {
    schema: { type: 'string' },
    example: operation.table === undefined ? '' : csvOf(operation, example.output),
  }
  const content: Content = {
    'application/json': { schema: output, example: example.output },
    ...(operation.table === undefined ? {} : { 'text/csv': csv }),
  }
  return { 200: { description: `The response.${caching}`, headers: announced, content } }
}

/** Components by kind and name in alphabetical order, so that the document differs only where something changes. */
function sorted(components: object | undefined): object {
  const byName = (part: object) => Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  return byName(
    Object.fromEntries(Object.entries(components ?? {}).map(([kind, parts]) => [kind, byName(parts as object)])),
  )
}
