import type { Client, Protocol } from './client.ts'
import { grpcClient } from './grpc.ts'
import { restClient } from './rest.ts'
import { trpcClient } from './trpc.ts'

/** A client of each protocol. Disposing closes their connections. */
export type Clients = Record<Protocol, Client> & Disposable

export function openClients({ http, grpc }: { http: string; grpc: string }): Clients {
  const clients = { rest: restClient(http), trpc: trpcClient(http), grpc: grpcClient(grpc) }
  return {
    ...clients,
    [Symbol.dispose]() {
      for (const client of Object.values(clients)) client.close()
    },
  }
}
