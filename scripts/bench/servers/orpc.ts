import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import { OpenAPIHandler } from '@orpc/openapi/node'
import { ORPCError, os } from '@orpc/server'
import { isAdmitted, listening, paths, positions, quote, type Serve } from './served.ts'

/** The two operations on oRPC, by its OpenAPI handler. */
export const serve: Serve = async (tokens) => {
  const admitted = os.$context<{ headers: IncomingHttpHeaders }>().use(async ({ context, next }) => {
    if (!isAdmitted(tokens, context.headers.authorization)) throw new ORPCError('UNAUTHORIZED')
    return await next()
  })
  const handler = new OpenAPIHandler({
    quote: admitted
      .route({ method: 'POST', path: paths.quote })
      .input(quote.input)
      .handler(() => quote.example.output),
    positions: admitted
      .route({ method: 'GET', path: paths.positions })
      .input(positions.input)
      .handler(() => positions.example.output),
  })
  const server = createServer(async (request, response) => {
    const { matched } = await handler.handle(request, response, { context: { headers: request.headers } })
    if (!matched) response.writeHead(404).end()
  })
  return { http: await listening(server) }
}
