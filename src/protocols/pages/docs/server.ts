import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html, page, sendPage } from '../page.ts'
import { type Content, nameOf, type Operation, type Reference, type Schema, type ShownDocument } from './document.ts'

/**
 * The file of the OpenAPI document, the server address to write into it, and the OpenRPC document, which is ready once
 * the node's address is known.
 */
type Documents = { openapi: string | URL; server: string; openrpc: Promise<unknown> }

/** The bytes of a document, and its entity tag. */
type Shown = { bytes: Buffer; etag: string }

/**
 * A Fastify plugin with the two documents and the API reference. Reads the file once, and throws
 * where it is missing.
 */
export async function documentRoutes(documents: Documents): Promise<(app: FastifyInstance) => Promise<void>> {
  const file = JSON.parse(await readFile(documents.openapi, 'utf8'))
  const openapi = { ...file, servers: [{ url: documents.server, description: 'This gateway' }] }
  const page = docsPage(openapi)
  const shown = { openapi: shownOf(openapi), openrpc: documents.openrpc.then(shownOf) }
  return async (app) => {
    app.get('/openapi.json', async (request, reply) => sendDocument(request, reply, shown.openapi))
    app.get('/openrpc.json', async (request, reply) => sendDocument(request, reply, await shown.openrpc))
    app.get('/docs', async (_request, reply) => sendPage(reply, 200, page))
  }
}

/** Takes milliseconds, so it runs once and not for each request. */
function shownOf(document: unknown): Shown {
  const bytes = Buffer.from(JSON.stringify(document, null, 2))
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

/** Sends a document that callers may cache and revalidate by its tag. */
function sendDocument(request: FastifyRequest, reply: FastifyReply, { bytes, etag }: Shown): FastifyReply {
  reply.headers({ etag, 'cache-control': 'no-cache' })
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known?.includes(etag) === true) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(bytes)
}

/** The API reference as one page: operations by group, then the schemas they name. */
export function docsPage(document: ShownDocument): string {
  const { info, components = {} } = document
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const groups = [...Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'operations')]
  const sections = groups.map(
    ([group, members]) =>
      `<h2 id="${html(group)}">${html(group)}</h2>${members.map(({ method, path, operation }) => operationSection(document, method, path, operation)).join('')}`,
  )
  const schemas = Object.entries(components.schemas ?? {}).map(
    ([name, schema]) =>
      `<h3 id="${html(name)}">${html(name)}</h3><p>${html(schema.description ?? '')}</p>${schemaBlock(schema)}`,
  )
  const tokens = Object.entries(components.securitySchemes ?? {}).map(
    ([name, { description = '' }]) => `<tr><th>${html(name)}</th><td class="text">${html(description)}</td></tr>`,
  )
  return page(
    `API ${info.version}`,
    `<p>${html(info.description ?? '')}</p>${documents}<table>${tokens.join('')}</table>
<p>${[...groups.map(([group]) => group), 'schemas'].map((name) => `<a href="#${html(name)}">${html(name)}</a>`).join(' · ')}</p>
${sections.join('')}<h2 id="schemas">schemas</h2>${schemas.join('')}`,
  )
}

const documents =
  '<p><a href="/docs/guides">guides</a> · <a href="/openapi.json">openapi.json</a> · <a href="/openrpc.json">openrpc.json</a> · <a href="/mcp.json">mcp.json</a> · gRPC by reflection</p>'

/** An operation: its summary, and folded up its request and responses with examples. */
function operationSection(document: ShownDocument, method: string, path: string, operation: Operation): string {
  const { operationId = '', summary = '', description = '' } = operation
  return `<h3 id="${html(operationId)}"><code>${html(method.toUpperCase())} ${html(path)}</code></h3>
<p>${html(summary)}.${description === '' ? '' : `<br>${html(description)}`}<br><small>${html(operationId)}; ${html(tokenText(operation))}</small></p>
<details><summary>Request and responses</summary>${parametersTable(document, operation)}${bodyBlock(operation)}${responsesTable(document, operation)}</details>`
}

function tokenText({ security = [] }: Operation): string {
  const tokens = security.flatMap((requirement) =>
    Object.entries(requirement).map(([name, scopes]) =>
      scopes.length === 0 ? name : `${name} with the scope ${scopes.join(', ')}`,
    ),
  )
  return tokens.length === 0 ? 'no token' : `authorization: Bearer, ${tokens.join(' or ')}`
}

function parametersTable(document: ShownDocument, { parameters = [] }: Operation): string {
  const rows = parameters.flatMap((parameter) => {
    const {
      name,
      required = false,
      description = '',
      schema = {},
      ...place
    } = referred(parameter, document.components?.parameters) ?? { name: '', in: '' }
    return name === '' ? [] : [fieldRow(`${name} (${place.in})`, required, { ...schema, description })]
  })
  return rows.length === 0 ? '' : `<h4>Parameters</h4><table>${rows.join('')}</table>`
}

function bodyBlock({ requestBody }: Operation): string {
  return requestBody === undefined ? '' : `<h4>Body</h4>${contentBlock(requestBody.content)}`
}

function responsesTable(document: ShownDocument, { responses = {} }: Operation): string {
  const all = Object.entries(responses).flatMap(([status, response]) => {
    const shown = referred(response, document.components?.responses)
    return shown === undefined ? [] : [{ status, ...shown }]
  })
  const successes = all.filter(({ status }) => status.startsWith('2'))
  const rows = all.map(
    ({ status, description, content = {} }) =>
      `<tr><th>${html(status)}</th><td>${typesText(content)}</td><td class="text">${html(description)}</td></tr>`,
  )
  return `<h4>Responses</h4><table>${rows.join('')}</table>${successes.map(({ content = {} }) => contentBlock(content)).join('')}`
}

function typesText(content: Content): string {
  return Object.values(content)
    .map(({ schema = {} }) => typeText(schema))
    .join(' | ')
}

/** The content types with the name of their schema and an example. */
function contentBlock(content: Content): string {
  const blocks = Object.entries(content).map(([type, { schema = {}, example }]) => {
    const text = exampleText(type, example)
    return `<p><code>${html(type)}</code>: <code>${typeText(schema)}</code></p>${text === undefined ? '' : `<pre>${html(text)}</pre>`}`
  })
  return blocks.join('')
}

/** An example as it is sent, or undefined without one. */
function exampleText(type: string, example: unknown): string | undefined {
  if (typeof example === 'string') return example
  if (type === 'application/x-www-form-urlencoded')
    return new URLSearchParams(example as Record<string, string>).toString()
  return JSON.stringify(example, null, 2)
}

/** The part itself, or the component it refers to; undefined where that is missing. */
function referred<Part extends object>(part: Part | Reference, components: Record<string, Part> = {}) {
  return '$ref' in part ? components[nameOf((part as Reference).$ref)] : (part as Part)
}

/** The type of a schema in the notation of TypeScript, as HTML, with a link where the type has a name. */
function typeText(schema: Schema): string {
  const { $ref, anyOf, contentSchema, additionalProperties, type = 'any' } = schema
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if ($ref !== undefined) return `<a href="#${html(nameOf($ref))}">${html(nameOf($ref))}</a>`
  if (contentSchema !== undefined) return typeText(contentSchema)
  if (values !== undefined) return values.map((value) => html(JSON.stringify(value))).join(' | ')
  if (anyOf !== undefined) return anyOf.map(typeText).join(' | ')
  if (type === 'array') return `Array&lt;${typeText(schema.items ?? {})}&gt;`
  if (typeof additionalProperties === 'object') return `Record&lt;string, ${typeText(additionalProperties)}&gt;`
  return html([type].flat().join(' | '))
}

/** A table of the fields of an object, or the type of anything else. */
function schemaBlock(schema: Schema): string {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return `<p><code>${typeText(schema)}</code> ${rules(schema)}</p>`
  const rows = fields.map(([name, field]) => fieldRow(name, schema.required?.includes(name) === true, field))
  return `<table>${rows.join('')}</table>`
}

/** A row with the name, the type and the description of a field. */
function fieldRow(name: string, required: boolean, { description = '', ...schema }: Schema): string {
  const need = required ? '' : ' (optional)'
  return `<tr><th><code>${html(name)}</code>${need}</th><td>${typeText(schema)}</td><td class="text">${html(description)} ${rules(schema)}</td></tr>`
}

const shownRules = 'format pattern minimum maximum minLength maxLength minItems maxItems default'.split(' ')

/** The rules of a value besides its type, by their JSON Schema names. */
function rules(schema: Schema): string {
  const own = Object.entries(schema).filter(([name]) => shownRules.includes(name))
  return `<small>${own.map(([name, value]) => html(`${name} ${String(value)}`)).join(', ')}</small>`
}
