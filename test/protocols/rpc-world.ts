import type { AnyHandler } from '../../src/domain/handler.ts'
import { type RpcParts, type RpcServer, serveRpc } from '../../src/protocols/jsonrpc/server.ts'
import { callers, exampleWorld, type World } from './world.ts'

export type RpcWorld = World & RpcServer

/** The JSON-RPC server on a free port, over handlers that answer their examples or as a test says. */
export async function serveRpcWorld(
  handlers: Record<string, AnyHandler> = {},
  limited = false,
  more: Partial<RpcParts> = {},
): Promise<RpcWorld> {
  const world = exampleWorld(handlers, limited)
  const server = await serveRpc({
    ...world,
    callers,
    cors: { origins: ['https://app.example'] },
    host: '127.0.0.1',
    port: 0,
    graceMs: 200,
    unexpected: (event) => void world.unexpected.push(event.error),
    ...more,
  })
  return { ...world, ...server }
}
