import type { FastifyInstance } from 'fastify'
import type { Callers } from '../../caller.ts'
import { queryOf, readFields } from '../../url-text.ts'
import { sendPage, showRefusals } from '../page.ts'
import { addressPage, blockPage, newestPage, transactionPage } from './chain-pages.ts'
import { messagePage, notFoundPage } from './parts.ts'
import type { ExplorerSource } from './source.ts'

type ExplorerParts = {
  source: ExplorerSource
  callers: Callers
  /** Takes one request from the rate of a client address; returns the seconds to wait, 0 where it may go on. */
  take(clientAddress: string): Promise<number>
}

/** A Fastify plugin with the pages to which `explorer_url` of an execution leads. */
export function explorerRoutes({ source, callers, take }: ExplorerParts): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    showRefusals(app)
    app.addHook('onRequest', async (request, reply) => {
      const seconds = await take(callers.addressOfHttp(request.raw))
      if (seconds === 0) return
      const sentence = `This address has requested too many pages. Try again in ${seconds} s.`
      return sendPage(reply.header('retry-after', seconds), 429, messagePage('Too many requests', sentence))
    })
    app.get('/explorer', async (_request, reply) => sendPage(reply, 200, newestPage(await source.newest())))
    app.get('/explorer/search', async ({ raw }, reply) => {
      const { q = '' } = readFields(queryOf(raw.url))
      const text = typeof q === 'string' ? q.trim() : ''
      const path = text === '' ? '/explorer' : await searchResultPath(source, text)
      return path === null
        ? sendPage(reply, 404, notFoundPage(text.slice(0, 200).toWellFormed()))
        : reply.redirect(path)
    })
    app.get<{ Params: { id: string } }>('/explorer/block/:id', async ({ params: { id } }, reply) => {
      const block = blockId.test(id) ? await source.block(id) : null
      if (block === null) return sendPage(reply, 404, messagePage('Not found', 'This chain has no such block.'))
      return sendPage(reply, 200, blockPage(block))
    })
    app.get<{ Params: { hash: string } }>('/explorer/tx/:hash', async ({ params: { hash } }, reply) => {
      const transaction = /^0x[0-9a-fA-F]{64}$/.test(hash) ? await source.transaction(hash) : null
      const unknown = 'This chain does not have the transaction. It may not have arrived yet.'
      if (transaction === null) return sendPage(reply, 404, messagePage('Not found', unknown))
      return sendPage(reply, 200, transactionPage(transaction))
    })
    app.get<{ Params: { address: string } }>('/explorer/address/:address', async ({ params: { address } }, reply) => {
      if (!/^0x[0-9a-fA-F]{40}$/.test(address))
        return sendPage(reply, 404, messagePage('Not an address', 'An address is 0x and 40 hex digits.'))
      return sendPage(reply, 200, addressPage(await source.address(address.toLowerCase())))
    })
    app.get('/explorer/*', async ({ url }, reply) => {
      // The request target may be a whole URL, whose host must not become the target of a redirect.
      const { pathname: path } = new URL(url, 'http://gateway')
      if (path.endsWith('/')) return reply.redirect(path.replace(/(?<!\/)\/+$/, ''), 308)
      return sendPage(reply, 404, messagePage('Not found', 'The explorer has no such page. Use the search.'))
    })
  }
}

/** A block id: a number in decimal digits or hex, a hash, or a tag. */
const blockId = /^(\d{1,15}|0x[0-9a-fA-F]{1,12}|0x[0-9a-fA-F]{64}|latest|safe|finalized|earliest)$/

/** The path of the page that a search text means; hex may lack its 0x. Null where the chain has no such thing. */
async function searchResultPath(source: ExplorerSource, query: string): Promise<string | null> {
  const hex = /^(?:0x)?([0-9a-f]{40}|[0-9a-f]{64})$/i.exec(query)?.[1]?.toLowerCase()
  if (hex?.length === 40) return `/explorer/address/0x${hex}`
  if (hex === undefined) return blockId.test(query) ? `/explorer/block/${query}` : tokenPath(source, query)
  const kind = await source.kindOf(`0x${hex}`)
  return kind === null ? null : `/explorer/${kind === 'block' ? 'block' : 'tx'}/0x${hex}`
}

function tokenPath(source: ExplorerSource, symbol: string): string | null {
  const address = source.tokenOf(symbol)
  return address === null ? null : `/explorer/address/${address}`
}
