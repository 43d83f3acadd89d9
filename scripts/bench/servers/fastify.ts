import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { isAdmitted, paths, positions, quote, type Serve } from './served.ts'

/** The two operations on Fastify as one writes them by hand. */
export const serve: Serve = async (tokens) => {
  const app = Fastify()
  app.addHook('onRequest', async (request, reply) => {
    if (!isAdmitted(tokens, request.headers.authorization)) return reply.code(401).send({ error: 'unauthenticated' })
  })
  app.post(paths.quote, async (request, reply) => {
    const input = quote.input.safeParse(request.body)
    return input.success ? quote.example.output : reply.code(422).send(input.error.issues)
  })
  app.get(paths.positions, async (request, reply) => {
    const input = positions.input.safeParse(request.query)
    return input.success ? positions.example.output : reply.code(422).send(input.error.issues)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { http: (app.server.address() as AddressInfo).port }
}
