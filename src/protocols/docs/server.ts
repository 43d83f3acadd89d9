import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { sendPage } from '../page.ts'
import { docsPage } from './page.ts'

/** Where the generated documents lie. */
export type DocumentFiles = { openapi: string | URL; openrpc: string | URL }

/**
 * A Fastify plugin with the two documents and a page made from the first, which `/` leads to. Reads the files once;
 * throws where one is missing.
 */
export async function documentRoutes(files: DocumentFiles): Promise<(app: FastifyInstance) => Promise<void>> {
  const [openapi, openrpc] = await Promise.all([readFile(files.openapi, 'utf8'), readFile(files.openrpc, 'utf8')])
  const page = docsPage(JSON.parse(openapi))
  return async (app) => {
    app.get('/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(openapi))
    app.get('/openrpc.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(openrpc))
    app.get('/', async (_request, reply) => reply.redirect('/docs'))
    app.get('/docs', async (_request, reply) => sendPage(reply, 200, page))
  }
}
