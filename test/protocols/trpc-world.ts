import { createRouter, plans } from '../../generated/trpc/router.ts'
import type { CorsRules } from '../../src/protocols/cors.ts'
import type { HttpServer } from '../../src/protocols/http.ts'
import { trpcRoutes } from '../../src/protocols/trpc/server.ts'
import { callers, serveWorld, type World } from './world.ts'

/** An HTTP server on a free port with the operations of a world over tRPC and REST. */
export async function serveTrpc(
  world: World,
  { slowReaderMs, cors }: { slowReaderMs?: number; cors?: CorsRules } = {},
): Promise<HttpServer> {
  const closing = new AbortController()
  const trpc = trpcRoutes({
    ...world,
    createRouter,
    plans,
    callers,
    closing: closing.signal,
    ...(slowReaderMs === undefined ? {} : { slowReaderMs }),
    unexpected: ({ error }) => void world.unexpected.push(error),
  })
  return await serveWorld(world, { routes: [trpc], closing, ...(cors === undefined ? {} : { cors }) })
}
