import { afterEach } from 'vitest'
import type { AnyHandler } from '../../src/domain/core/handler.ts'
import { hostCheck } from '../../src/protocols/address.ts'
import { type RpcParts, type RpcServer, serveRpc } from '../../src/protocols/jsonrpc/server.ts'
import { callers, exampleWorld, json, type World } from './world.ts'

export type RpcWorld = World & RpcServer

/** The JSON-RPC server on a free port, over handlers that return their examples or a test's values. */
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
    servesHost: hostCheck(['node.example']),
    host: '127.0.0.1',
    port: 0,
    graceMs: 200,
    unexpected: (event) => void world.unexpected.push(event.error),
    ...more,
  })
  return { ...world, ...server }
}

/** Opens JSON-RPC servers for the tests of a file, and closes those that a test left open. */
export function rpcWorlds(): typeof serveRpcWorld {
  const worlds: RpcWorld[] = []
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map((world) => world.close()))
  })
  return async (...given) => {
    const world = await serveRpcWorld(...given)
    worlds.push(world)
    return world
  }
}

/** Opens JSON-RPC servers like `rpcWorlds`, each with functions that send a body by POST and return the response. */
export function askedRpcWorlds() {
  const open = rpcWorlds()
  return async (...given: Parameters<typeof open>) => {
    const world = await open(...given)
    const send = (body: unknown, init: RequestInit = {}) =>
      fetch(world.url, {
        method: 'POST',
        headers: json,
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
      })
    const answer = async (body: unknown) => JSON.parse(await (await send(body)).text())
    return { world, send, answer }
  }
}

/** A request as it is sent. */
export function request(method: string, params: unknown = [], id: unknown = 1) {
  return { jsonrpc: '2.0', method, params, id }
}

/** A handler whose events the test sends to all streams that are open. */
export function broadcast() {
  const streams = new Set<{ input: unknown; push: (event: unknown) => void }>()
  const handler: AnyHandler = async (_ports, input, { signal }) =>
    (async function* () {
      const events: unknown[] = []
      let wake = () => {}
      const push = (event: unknown) => {
        events.push(event)
        wake()
      }
      const stream = { input, push }
      streams.add(stream)
      signal.addEventListener('abort', () => wake())
      while (!signal.aborted) {
        for (const event of events.splice(0)) {
          if (event instanceof Error) throw event
          yield event
        }
        await new Promise<void>((resolve) => {
          wake = resolve
          if (events.length > 0 || signal.aborted) resolve()
        })
      }
      streams.delete(stream)
    })()
  const send = (event: unknown) => {
    for (const { push } of streams) push(event)
  }
  return { handlers: { 'chain.subscribe': handler }, streams, send }
}
