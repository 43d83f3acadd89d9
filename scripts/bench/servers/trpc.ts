import { createServer, type IncomingMessage } from 'node:http'
import { initTRPC, TRPCError } from '@trpc/server'
import { createHTTPHandler } from '@trpc/server/adapters/standalone'
import { isAdmitted, listening, positions, type Serve } from './served.ts'

/** The query on tRPC's own standalone server. */
export const serve: Serve = async (tokens) => {
  const t = initTRPC.context<{ request: IncomingMessage }>().create()
  const admitted = t.procedure.use(({ ctx, next }) => {
    if (!isAdmitted(tokens, ctx.request.headers.authorization)) throw new TRPCError({ code: 'UNAUTHORIZED' })
    return next()
  })
  const router = t.router({
    metrics: t.router({ positions: admitted.input(positions.input).query(() => positions.example.output) }),
  })
  const handler = createHTTPHandler({ router, basePath: '/trpc/', createContext: ({ req }) => ({ request: req }) })
  return { http: await listening(createServer(handler)) }
}
