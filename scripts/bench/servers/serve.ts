import type { Serve } from './served.ts'
import { servedTokens } from './served.ts'

/** Servers by name; each runs as a separate process, so that all have the same share of the machine. */
const servers = {
  bare: () => import('./bare.ts'),
  fastify: () => import('./fastify.ts'),
  grpc: () => import('./grpc.ts'),
  hono: () => import('./hono.ts'),
  orpc: () => import('./orpc.ts'),
  trident: () => import('./trident.ts'),
  trpc: () => import('./trpc.ts'),
} satisfies Record<string, () => Promise<{ serve: Serve }>>

export type ServerName = keyof typeof servers

/** Runs as a separate process: it responds to each message with its ports, and ends with its parent. */
const [name, dataDir = ''] = process.argv.slice(2)
const ports = servers[name as ServerName]().then(({ serve }) => serve(servedTokens(dataDir)))
process.on('message', async () => process.send?.(await ports))
process.once('disconnect', () => process.exit())
