import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ServedFile, sendFile, servedFile } from '../files.ts'
import { barePage, documentPage, documentSources, html, sendPage } from '../page.ts'

/** The parts of an OpenAPI document that the list of operations shows. */
type ShownDocument = {
  info: { version: string; description?: string }
  paths?: Record<string, Record<string, ShownOperation>>
}

type ShownOperation = { operationId?: string; summary?: string; tags?: readonly string[] }

/**
 * The file of the OpenAPI document, the server address to write into it, the addresses for its samples, and the OpenRPC
 * document, which is ready once the node's address is known.
 */
type Documents = {
  openapi: string | URL
  server: string
  samples?: { http: string; grpc: string }
  openrpc: Promise<unknown>
}

/** The addresses in the samples of the file. */
const defaultAddresses = { http: 'http://127.0.0.1:8000', grpc: '127.0.0.1:50051' }

/**
 * A Fastify plugin with the two documents and the API reference. Reads the file once, and throws
 * where it is missing.
 */
export async function documentRoutes(documents: Documents): Promise<(app: FastifyInstance) => Promise<void>> {
  const { http, grpc } = { ...defaultAddresses, ...documents.samples }
  const text = await readFile(documents.openapi, 'utf8')
  const file = JSON.parse(text.replaceAll(defaultAddresses.http, http).replaceAll(defaultAddresses.grpc, grpc))
  const openapi = { ...file, servers: [{ url: documents.server, description: 'This gateway' }] }
  const reference = referencePage(openapi)
  const shown = { openapi: fileOf(openapi), openrpc: documents.openrpc.then(fileOf) }
  return async (app) => {
    app.get('/openapi.json', async (request, reply) => sendDocument(request, reply, shown.openapi))
    app.get('/openrpc.json', async (request, reply) => sendDocument(request, reply, await shown.openrpc))
    app.get('/docs', async (_request, reply) => sendPage(reply, 200, firstPage, documentSources))
    app.get('/docs/api', async (_request, reply) =>
      sendPage(reply, 200, reference, { ...documentSources, image: "'self' data:", font: "'self'" }),
    )
  }
}

/** Takes milliseconds, so it runs once and not for each request. */
function fileOf(document: unknown): ServedFile {
  return servedFile('.json', Buffer.from(JSON.stringify(document, null, 2)))
}

/** Sends a document that callers may cache and revalidate by its tag. */
function sendDocument(request: FastifyRequest, reply: FastifyReply, file: ServedFile): Promise<FastifyReply> {
  return sendFile(request, reply.header('cache-control', 'no-cache'), file)
}

/**
 * The list of operations that stands until the reference has been drawn in its place, and for readers without JavaScript.
 * Its ids are the short addresses of the operations.
 */
export function referencePage(document: ShownDocument): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  const groups = [...Map.groupBy(operations, ({ tags }) => tags?.[0] ?? 'operations')].map(([group, members]) => {
    const lines = members.map(({ method, path, operationId = '', summary = '' }) => {
      const address = `<code>${html(method.toUpperCase())} ${html(path)}</code>`
      return `<li id="${html(operationId)}" data-group="${html(group)}"><a href="#${html(operationId)}">${address}</a> ${html(summary)}</li>`
    })
    return `<h2>${html(group)}</h2><ul>${lines.join('')}</ul>`
  })
  return barePage(
    `API ${document.info.version}`,
    '#operations{max-width:60rem;margin:1rem auto;padding:0 1rem}#operations li{overflow-wrap:anywhere}#token{margin:.5rem 1rem}',
    `<main id="operations"><h1>API ${html(document.info.version)}</h1><p>${html(document.info.description ?? '')}</p>${documents}
${groups.join('')}</main><p id="token" role="status"></p><div id="reference"></div>
<script src="/assets/scalar.js" defer></script><script type="module" src="/assets/reference.js"></script>`,
  )
}

const documents =
  '<p><a href="/docs/guides">guides</a> · <a href="/openapi.json">openapi.json</a> · <a href="/openrpc.json">openrpc.json</a> · <a href="/mcp.json">mcp.json</a> · gRPC by reflection</p>'

const firstPage = documentPage(
  'Trident',
  `<p>A gateway for agents that research and trade on chains: quotes, risk checks, swaps, positions, profit, chat and the chain's own node. One contract is served as REST, tRPC, gRPC, JSON-RPC and MCP.</p>
<ul>
<li><a href="/">Try it</a>: the console makes an account with play money, without a line of code.</li>
<li><a href="/docs/api">Call it</a>: every operation with samples, and a button that sends it. The <a href="/docs/guides">guides</a> show how operations work together.</li>
<li><a href="/docs/guides/start">Run it</a>: one command on your machine; then <a href="/docs/guides/deployment">deploy it</a>.</li>
</ul>${documents}`,
)
