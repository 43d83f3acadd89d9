import type { FastifyInstance } from 'fastify'
import type { Callers } from '../caller.ts'
import { sendPage } from '../page.ts'
import { headPage, messagePage, transactionPage } from './page.ts'
import type { ExplorerSource } from './source.ts'

export type ExplorerParts = {
  source: ExplorerSource
  callers: Callers
  /** Takes one request from an address's share; answers the seconds it must wait, 0 where it may go on. */
  take(clientAddress: string): number
}

/** A Fastify plugin with the pages that `explorer_url` of an execution points to. */
export function explorerRoutes({ source, callers, take }: ExplorerParts): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      const seconds = take(callers.addressOfHttp(request.raw))
      if (seconds === 0) return
      const sentence = `You asked for more pages than one address may; try again in ${seconds} s.`
      return sendPage(reply.header('retry-after', seconds), 429, messagePage('Too many requests', sentence))
    })
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
