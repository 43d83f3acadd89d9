import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { sendPage } from '../page.ts'
import { docsPage } from './page.ts'

/** Where the generated document of REST lies, and what makes that of the node. */
export type Documents = { openapi: string | URL; openrpc: () => unknown }

/**
 * A Fastify plugin with the two documents and a page made from the first, which `/` leads to. Reads the file once;
 * throws where it is missing.
 */
export async function documentRoutes(documents: Documents): Promise<(app: FastifyInstance) => Promise<void>> {
  const openapi = await readFile(documents.openapi, 'utf8')
  const page = docsPage(JSON.parse(openapi))
  return async (app) => {
    app.get('/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(openapi))
    app.get('/openrpc.json', async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify(documents.openrpc(), null, 2)),
    )
    app.get('/', async (_request, reply) => reply.redirect('/docs'))
    app.get('/docs', async (_request, reply) => sendPage(reply, 200, page))
  }
}
