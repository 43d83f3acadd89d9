import { readFile } from 'node:fs/promises'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { createRouter, plans } from '../../generated/trpc/router.ts'
import { operations } from '../../src/contract/index.ts'
import type { Auth } from '../../src/contract/shared/operation.ts'
import type { DomainError } from '../../src/domain/core/errors.ts'
import type { AnyHandler } from '../../src/domain/core/handler.ts'
import { serveGrpc } from '../../src/protocols/grpc/server.ts'
import { serveRpc } from '../../src/protocols/jsonrpc/server.ts'
import { trpcRoutes } from '../../src/protocols/trpc/server.ts'
import type { Client } from '../clients/client.ts'
import { grpcClient } from '../clients/grpc.ts'
import { type RpcClient, rpcClient } from '../clients/json-rpc.ts'
import { restClient } from '../clients/rest.ts'
import { trpcClient } from '../clients/trpc.ts'
import { operatorToken } from '../operator-token.ts'
import { callers, exampleWorld, serveWorld, sessionToken, unwatchedRequest, userToken } from '../protocols/world.ts'

/**
 * The plan for the next call's handler: it returns, with as many events as there are outputs, and may fail afterwards.
 */
export type Plan = { outputs: readonly unknown[]; failure?: DomainError; replayed?: boolean }

/** What a handler received. */
export type Heard = { id: string; input: unknown; requestId: string; traceId: string | undefined }

export type PlannedWorld = AsyncDisposable & {
  /** Every protocol, and its client. */
  clients: readonly (Client | RpcClient)[]
  plan(next: Plan): void
  /** The calls that reached a handler since the last read. */
  heard(): Heard[]
  unexpected: readonly unknown[]
}

/** The real gateway and protocols over handlers that follow a plan and record what they receive. */
export async function openPlannedWorld(): Promise<PlannedWorld> {
  let planned: Plan = { outputs: [] }
  const heard: Heard[] = []
  const traces = new Map<string, string>()
  const handlers = Object.fromEntries(
    operations().map(([id, { kind }]): [string, AnyHandler] => [
      id,
      async (_ports, input, { requestId, markReplayed }) => {
        heard.push({ id, input, requestId, traceId: traces.get(requestId) })
        traces.delete(requestId)
        const { outputs, failure, replayed } = planned
        if (replayed) markReplayed()
        if (kind === 'stream') return eventsOf(planned)
        if (failure !== undefined) throw failure
        return outputs[0]
      },
    ]),
  )
  const world = exampleWorld(handlers, false, undefined, undefined, ({ requestId, traceParent }) => {
    if (traceParent !== null) traces.set(requestId, traceParent.traceId)
    return unwatchedRequest()
  })
  await using opened = new AsyncDisposableStack()
  const closing = new AbortController()
  const unexpected = (event: { error: unknown }) => void world.unexpected.push(event.error)
  const trpc = trpcRoutes({ ...world, createRouter, plans, callers, closing: closing.signal, unexpected })
  const http = await serveWorld(world, { routes: [trpc], closing })
  opened.defer(() => http.close())
  const descriptors = await readFile(new URL('../../generated/grpc/descriptor.binpb', import.meta.url))
  const listening = { callers, host: '127.0.0.1', port: 0, graceMs: 100, unexpected }
  const grpc = await serveGrpc({ ...listening, gateway: world.gateway, methods: grpcMethods, descriptors })
  opened.defer(() => grpc.close())
  const rpc = await serveRpc({ ...listening, ...world, unexpected, cors: { origins: [] }, servesHost: () => true })
  opened.defer(() => rpc.close())
  const clients = [restClient(http.url), trpcClient(http.url), grpcClient(`127.0.0.1:${grpc.port}`)]
  opened.defer(() => {
    for (const client of clients) client.close()
  })
  const resources = opened.move()
  return {
    clients: [...clients, rpcClient(rpc.url, 'rpcByName'), rpcClient(rpc.url, 'rpcByPlace')],
    plan: (next) => {
      planned = next
    },
    heard: () => heard.splice(0),
    unexpected: world.unexpected,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function* eventsOf({ outputs, failure }: Plan) {
  yield* outputs
  if (failure !== undefined) throw failure
}

/** A token for a permitted caller. */
export function tokenFor(auth: Auth): string | undefined {
  if (auth === 'none') return undefined
  if (auth === 'operator') return operatorToken
  return auth === 'user' ? userToken : sessionToken
}
