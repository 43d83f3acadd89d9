import { grpcMethods } from '../../../generated/grpc/services.ts'
import { restRequest } from '../../../test/clients/http-request.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { rpc } from '../../../test/clients/rpc-call.ts'
import { dataFolder } from '../../../test/data-folder.ts'
import { startGateway } from '../../../test/gateway-process.ts'
import type { ProcessUse } from '../../../test/process-use.ts'
import { newAccount } from '../../../test/world.ts'
import { type Child, startChild } from '../child.ts'
import { openConnection, type Target } from '../load/connections.ts'
import type { Sent } from '../load/sent.ts'
import type { ServerName } from '../servers/serve.ts'
import { type Ports, paths, positions, quote, servedTokens } from '../servers/served.ts'
import { wideRates } from '../wide-rates.ts'

/** A server that serves a request, and its process. */
export type Way = { name: string; use: ProcessUse; target: Target; request: Sent }
/** A request that is sent to several servers, the first of which is the baseline. */
export type Row = { what: string; ways: Way[] }
export type UnaryWorld = AsyncDisposable & { rows: Row[] }

type Server = { use: ProcessUse; ports: Ports }

const query = restRequest(positions, { ...positions.example.input }, {}).path

/** The gateway's protocols over handlers that cost nothing, compared with other frameworks over the same handlers. */
export async function openPeers(): Promise<UnaryWorld> {
  await using opened = new AsyncDisposableStack()
  const dataDir = opened.use(dataFolder()).path
  const token = servedTokens(dataDir).issueSession({ id: 1, generation: 0 }, 'bench').accessToken
  const start = (name: ServerName) => startServer(opened, name, dataDir)
  const bare = await start('bare')
  const trident = await start('trident')
  const peers = { 'Fastify by hand': await start('fastify'), Hono: await start('hono'), oRPC: await start('orpc') }
  const [trpc, grpc] = [await start('trpc'), await start('grpc')]
  const rest = (request: Sent) => [
    overHttp('bare node:http', bare, request),
    overHttp('Trident', trident, request),
    ...Object.entries(peers).map(([name, server]) => overHttp(name, server, request)),
  ]
  const { input } = positions.example
  const trpcOf = (asked: Record<string, string>) => {
    const request = { path: `/trpc/metrics.positions?${new URLSearchParams(asked)}`, body: '', token }
    return [overHttp('standalone tRPC', trpc, request), overHttp('Trident', trident, request)]
  }
  const rows = [
    { what: 'REST POST', ways: rest({ path: paths.quote, body: JSON.stringify(quote.example.input), token }) },
    { what: 'REST GET', ways: rest({ path: query, body: '', token }) },
    { what: 'tRPC query, by itself', ways: trpcOf({ input: JSON.stringify(input) }) },
    { what: 'tRPC query, batched', ways: trpcOf({ batch: '1', input: JSON.stringify({ 0: input }) }) },
    { what: 'gRPC unary', ways: [overGrpc('bare grpc-js', grpc, token), overGrpc('Trident', trident, token)] },
  ]
  return await worldOf(rows, opened)
}

/**
 * The gateway as `npm start` runs it, which reads the database for the session and for the response, compared with the
 * bare server. No more blocks are mined, so that the sandbox's work is not counted for the requests.
 */
export async function openWhole(): Promise<UnaryWorld> {
  await using opened = new AsyncDisposableStack()
  const dataDir = opened.use(dataFolder()).path
  const bare = await startServer(opened, 'bare', dataDir)
  const gateway = opened.use(await startGateway(null, { ...wideRates, LOG_LEVEL: 'silent' }))
  const { http: address, rpc: rpcUrl } = gateway.urls
  const { token } = await newAccount(restClient(address))
  await rpc(rpcUrl, 'admin_stopSequencer')
  const request = { path: query, body: '', token }
  const ways = [
    overHttp('bare node:http', bare, request),
    { name: 'Trident', use: gateway, target: { transport: 'http', address } as const, request },
  ]
  return await worldOf([{ what: 'REST GET, with its database', ways }], opened)
}

async function startServer(opened: AsyncDisposableStack, name: ServerName, dataDir: string): Promise<Server> {
  const child: Child = opened.use(startChild('servers/serve.ts', name, dataDir))
  return { use: child.use, ports: await child.ask<Ports>('ports') }
}

async function worldOf(rows: Row[], opened: AsyncDisposableStack): Promise<UnaryWorld> {
  for (const { ways } of rows) await checkAdmission(ways)
  const resources = opened.move()
  return { rows, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

function overHttp(name: string, { use, ports }: Server, request: Sent): Way {
  return { name, use, target: { transport: 'http', address: `http://127.0.0.1:${ports.http}` }, request }
}

function overGrpc(name: string, { use, ports }: Server, token: string): Way {
  const { path, encodeRequest } = grpcMethods['trading.quote']
  const request = { path, body: Buffer.from(encodeRequest(quote.example.input)).toString('latin1'), token }
  return { name, use, target: { transport: 'grpc', address: `127.0.0.1:${ports.grpc}` }, request }
}

/** Every server must serve a caller with a token; every server but the bare baseline must refuse one without. */
async function checkAdmission(ways: readonly Way[]): Promise<void> {
  for (const { name, target, request } of ways) {
    const connection = await openConnection(target)
    await connection.ask(request)
    const stranger = { path: request.path, body: request.body }
    const admitted = await connection.ask(stranger).then(
      () => true,
      () => false,
    )
    connection.close()
    if (admitted && !name.startsWith('bare ')) throw new Error(`${name} serves requests without a token.`)
  }
}
