import { grpcMethods } from '../../../generated/grpc/services.ts'
import { restRequest } from '../../../test/clients/http-request.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { rpc } from '../../../test/clients/rpc-call.ts'
import { dataFolder } from '../../../test/data-folder.ts'
import { startGateway } from '../../../test/gateway-process.ts'
import type { ProcessUse } from '../../../test/process-use.ts'
import { newAccount } from '../../../test/world.ts'
import { type Child, startChild } from '../child.ts'
import { type Bench, type Figure, perSecondOf } from '../figures.ts'
import { openConnection, type Sent, type Target } from '../load/connections.ts'
import type { Load, Slot } from '../load/load.ts'
import type { ServerName } from '../servers/serve.ts'
import { type Ports, paths, positions, quote, servedTokens, wideRates } from '../servers/served.ts'
import { inTurns } from '../turns.ts'

const rounds = 4
const connections = 8
const slotMs = 400
/**
 * Each server is warmed up until its code is compiled. This is measured by CPU time, because a busy machine gives it
 * little of any period.
 */
const warmingUpMs = 2_000

/**
 * One request and its response: the gateway compared with a server without checks, and with other frameworks that check
 * the same token and input, but not their output. Each server is a separate process; CPU time per request says more
 * than requests per second.
 */
export const bench: Bench = async () => {
  await using generator = startChild('load/load.ts')
  const runLoad = (slot: Slot) => generator.ask<Load>(slot)
  const figures: Figure[] = []
  for (const rowsOf of [peers, whole]) {
    // The servers of these rows end before the next ones start.
    await using opened = new AsyncDisposableStack()
    const rows = await rowsOf(opened)
    for (const { ways } of rows) await checkAdmission(ways)
    for (const row of rows) figures.push(...(await measured(row, runLoad)))
  }
  return figures
}

async function measured({ what, ways }: Row, runLoad: (slot: Slot) => Promise<Load>): Promise<Figure[]> {
  const slot = async ({ use, target, request }: Way) => {
    const worked = use.processorMs()
    const load = await runLoad({ target, request, connections, milliseconds: slotMs })
    return { ...load, cpu: ((use.processorMs() - worked) * 1_000) / load.answers }
  }
  const loads = await inTurns(ways, rounds, async (way, warmsUp) => {
    const began = way.use.processorMs()
    let load = await slot(way)
    while (warmsUp && way.use.processorMs() - began < warmingUpMs) load = await slot(way)
    return load
  })
  const [floor, ...others] = ways.map((way) => ({ name: way.name, loads: loads.get(way) ?? [] }))
  if (floor === undefined) return []
  const perSecond = (of: typeof floor) => perSecondOf(of.loads)
  const cpu = (of: typeof floor) => ({ rounds: of.loads.map((load) => load.cpu) })
  return others.flatMap((way): Figure[] => {
    const figure = { what, way: way.name }
    return [
      { ...figure, unit: 'a second', ...perSecond(way), floor: { name: floor.name, ...perSecond(floor) } },
      { ...figure, unit: 'µs of CPU', ...cpu(way), floor: { name: floor.name, ...cpu(floor) } },
    ]
  })
}

/** A server that serves a request, and its process. */
type Way = { name: string; use: ProcessUse; target: Target; request: Sent }
/** A request that is sent to several servers, the first of which is the baseline. */
type Row = { what: string; ways: Way[] }

type Server = { use: ProcessUse; ports: Ports }

const query = restRequest(positions, { ...positions.example.input }, {}).path

/** The gateway's protocols over handlers that cost nothing, compared with other frameworks over the same handlers. */
async function peers(opened: AsyncDisposableStack): Promise<Row[]> {
  const dataDir = opened.use(dataFolder()).path
  const token = servedTokens(dataDir).issueSession({ id: 1, generation: 0 }, 'bench').accessToken
  const start = (name: ServerName) => startServer(opened, name, dataDir)
  const bare = await start('bare')
  const trident = await start('trident')
  const others = { 'Fastify by hand': await start('fastify'), Hono: await start('hono'), oRPC: await start('orpc') }
  const [trpc, grpc] = [await start('trpc'), await start('grpc')]
  const rest = (request: Sent) => [
    overHttp('bare node:http', bare, request),
    overHttp('Trident', trident, request),
    ...Object.entries(others).map(([name, server]) => overHttp(name, server, request)),
  ]
  const { input } = positions.example
  const trpcOf = (asked: Record<string, string>) => {
    const request = { path: `/trpc/metrics.positions?${new URLSearchParams(asked)}`, body: '', token }
    return [overHttp('standalone tRPC', trpc, request), overHttp('Trident', trident, request)]
  }
  return [
    { what: 'REST POST', ways: rest({ path: paths.quote, body: JSON.stringify(quote.example.input), token }) },
    { what: 'REST GET', ways: rest({ path: query, body: '', token }) },
    { what: 'tRPC query, by itself', ways: trpcOf({ input: JSON.stringify(input) }) },
    { what: 'tRPC query, batched', ways: trpcOf({ batch: '1', input: JSON.stringify({ 0: input }) }) },
    { what: 'gRPC unary', ways: [overGrpc('bare grpc-js', grpc, token), overGrpc('Trident', trident, token)] },
  ]
}

/**
 * The gateway as `npm start` runs it, which reads the database for the session and for the response, compared with the
 * bare server. No more blocks are mined, so that the sandbox's work is not counted for the requests.
 */
async function whole(opened: AsyncDisposableStack): Promise<Row[]> {
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
  return [{ what: 'REST GET, with its database', ways }]
}

async function startServer(opened: AsyncDisposableStack, name: ServerName, dataDir: string): Promise<Server> {
  const child: Child = opened.use(startChild('servers/serve.ts', name, dataDir))
  return { use: child.use, ports: await child.ask<Ports>('ports') }
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
    const [{ status }] = await Promise.allSettled([connection.ask({ path: request.path, body: request.body })])
    connection.close()
    if (status === 'fulfilled' && !name.startsWith('bare ')) throw new Error(`${name} serves requests without a token.`)
  }
}
