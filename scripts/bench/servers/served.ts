import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { type Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'
import { openTokens } from '../../../src/adapters/accounts/tokens.ts'
import { systemClock } from '../../../src/adapters/system/system.ts'
import { metrics } from '../../../src/contract/metrics.ts'
import { trading } from '../../../src/contract/trading/trading.ts'

/** The loopback ports of a server, by protocol. */
export type Ports = { http?: number; grpc?: number }
/** Starts a server on free ports. */
export type Serve = (tokens: ServedTokens) => Promise<Ports>

/** The two operations that every server has: a POST with a body to validate, and a GET with a query. */
export const quote = trading.quote
export const positions = metrics.positions
export const paths = { quote: quote.http?.path ?? '/', positions: positions.http?.path ?? '/' } as const

type ServedTokens = ReturnType<typeof openTokens>

/** Tokens signed with the keys of a folder, so that one token is valid at all servers of a run. */
export function servedTokens(dataDir: string): ServedTokens {
  return openTokens({ dataDir, clock: systemClock })
}

/** True where the header has a session token, checked and cached by the same code as in the gateway. */
export function isAdmitted(tokens: ServedTokens, authorization: string | undefined): boolean {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  const claims = token === undefined ? 'invalid' : tokens.verify(token)
  return typeof claims === 'object' && claims.kind === 'session'
}

/** Listens on a free port of the loopback, and returns it. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Settings with which every request of the two classes is counted and none refused: buckets that no run empties. */
export const wideRates = {
  RATE_LIMITS: 'on',
  RATE_RULES: ['default', 'node'].map((name) => `${name}=999999999/1/999999999`).join(','),
}

/** Lets a gRPC server listen on a free port of the loopback, and returns it. */
export async function grpcPort(server: GrpcServer): Promise<number> {
  return await promisify(server.bindAsync.bind(server))('127.0.0.1:0', ServerCredentials.createInsecure())
}
