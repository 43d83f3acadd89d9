import type { FastifyInstance, FastifyReply } from 'fastify'
import { headPage, messagePage, pagePolicy, transactionPage } from './page.ts'
import type { ExplorerSource } from './source.ts'

/** A Fastify plugin with the pages that `explorer_url` of an execution points to. */
export function explorerRoutes(source: ExplorerSource): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    app.get('/explorer', async (_request, reply) => sendPage(reply, 200, headPage(await source.head())))
    app.get<{ Params: { hash: string } }>('/explorer/tx/:hash', async ({ params: { hash } }, reply) => {
      if (!/^0x[0-9a-fA-F]{64}$/.test(hash))
        return sendPage(reply, 404, messagePage('Not a hash', 'A transaction hash is 0x and 64 hex digits.'))
      const [transaction, head] = await Promise.all([source.transaction(hash), source.head()])
      if (transaction === null)
        return sendPage(
          reply,
          404,
          messagePage('Not found', 'This chain does not know the transaction; it may not have arrived yet.'),
        )
      return sendPage(reply, 200, transactionPage(transaction, head.number))
    })
  }
}

/** Sends a page under its strict policy. */
export function sendPage(reply: FastifyReply, status: number, text: string): FastifyReply {
  const headers = {
    'content-security-policy': pagePolicy,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(text)
}
