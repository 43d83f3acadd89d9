import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../page.ts'
import { docsPage } from './page.ts'

/** Where the generated document of REST lies and what address it tells, and what makes the document of the node. */
export type Documents = { openapi: string | URL; server: string; openrpc: () => unknown }

/**
 * A Fastify plugin with the two documents and a page made from the first, which `/` leads to. Reads the file once;
 * throws where it is missing.
 */
export async function documentRoutes(documents: Documents): Promise<(app: FastifyInstance) => Promise<void>> {
  const file = JSON.parse(await readFile(documents.openapi, 'utf8'))
  const openapi = { ...file, servers: [{ url: documents.server, description: 'This gateway' }] }
  const text = JSON.stringify(openapi, null, 2)
  const page = docsPage(openapi)
  return async (app) => {
    app.get('/openapi.json', async (request, reply) => sendDocument(request, reply, text))
    app.get('/openrpc.json', async (request, reply) =>
      sendDocument(request, reply, JSON.stringify(documents.openrpc(), null, 2)),
    )
    app.get('/', async (_request, reply) => reply.redirect('/docs'))
    app.get('/docs', async (_request, reply) => sendPage(reply, 200, page))
  }
}

/** Sends a document that may be kept, and is asked for again by what it was: it changes with the version that runs. */
function sendDocument(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  reply.headers({ etag, 'cache-control': 'no-cache' })
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known?.includes(etag) === true) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(text)
}
