import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../page.ts'
import { docsPage } from './page.ts'

/**
 * The file of the OpenAPI document, the server address to write into it, and the OpenRPC document, which is ready once
 * the node's address is known.
 */
type Documents = { openapi: string | URL; server: string; openrpc: Promise<unknown> }

/** The bytes of a document, and its entity tag. */
type Shown = { bytes: Buffer; etag: string }

/**
 * A Fastify plugin with the two documents and the API reference, to which `/` redirects. Reads the file once, and throws
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
    app.get('/', async (_request, reply) => reply.redirect('/docs'))
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
