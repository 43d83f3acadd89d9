import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { restRequest } from '../../test/clients/http-request.ts'
import { restClient } from '../../test/clients/rest.ts'
import { type GatewayProcess, startGateway } from '../gateway-process.ts'
import type { ProcessUse } from '../process-use.ts'
import { openConnection, type Target } from './connections.ts'
import type { Sent } from './requests.ts'
import type { ServerName } from './serve.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { paths, positions, quote, servedTokens } from './servers/served.ts'

/** A server that answers a request, and the process that works for it. */
export type Way = { name: string; use: ProcessUse; target: Target; request: Sent }
/** One request asked in several ways, the first of which is the floor. */
export type Row = { what: string; ways: Way[] }

/** Starts every server, and makes sure that all but the bare ones refuse who has no token. */
export async function openUnaryWorld(): Promise<AsyncDisposable & { rows: Row[] }> {
  await using opened = new AsyncDisposableStack()
  const dataDir = opened.adopt(mkdtempSync(join(tmpdir(), 'bench-')), (dir) => rmSync(dir, { recursive: true }))
  const token = servedTokens(dataDir).issueSession(1, 'bench').accessToken
  const start = async (name: ServerName) => opened.use(await startServer(name, dataDir))
  const bare = await start('bare')
  const trident = await start('trident')
  const peers = { 'Fastify by hand': await start('fastify'), Hono: await start('hono'), oRPC: await start('orpc') }
  const [trpc, grpc] = [await start('trpc'), await start('grpc')]
  const whole = opened.use(await startGateway({ RATE_LIMITS: 'off', LOG_LEVEL: 'silent' }))

  const query = restRequest(positions, { ...positions.example.input }, {}).path
  const post = { path: paths.quote, body: JSON.stringify(quote.example.input), token }
  const get = { path: query, body: '', token }
  const rest = (request: Sent) => [
    overHttp('bare node:http', bare, request),
    overHttp('Trident', trident, request),
    ...Object.entries(peers).map(([name, server]) => overHttp(name, server, request)),
  ]
  const rows = [
    { what: 'REST POST', ways: rest(post) },
    { what: 'REST GET', ways: [...rest(get), await wholeGateway(whole, get)] },
    { what: 'tRPC query', ways: [overTrpc('standalone tRPC', trpc, token), overTrpc('Trident', trident, token)] },
    { what: 'gRPC unary', ways: [overGrpc('bare grpc-js', grpc, token), overGrpc('Trident', trident, token)] },
  ]
  for (const { ways } of rows) await checkAdmission(ways)
  const resources = opened.move()
  return { rows, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

function overHttp(name: string, { use, http }: ServerProcess, request: Sent): Way {
  return { name, use, target: { transport: 'http', address: `http://127.0.0.1:${http}` }, request }
}

function overTrpc(name: string, { use, http }: ServerProcess, token: string): Way {
  const query = new URLSearchParams({ input: JSON.stringify(positions.example.input) })
  const request = { path: `/trpc/metrics.positions?${query}`, body: '', token }
  return { name, use, target: { transport: 'http', address: `http://127.0.0.1:${http}` }, request }
}

function overGrpc(name: string, { use, grpc }: ServerProcess, token: string): Way {
  const { path, encodeRequest } = grpcMethods['trading.quote']
  const request = { path, body: Buffer.from(encodeRequest(quote.example.input)).toString('latin1'), token }
  return { name, use, target: { transport: 'grpc', address: `127.0.0.1:${grpc}` }, request }
}

/** The same request to the gateway as it is started, with its database: for the session, and for the answer. */
async function wholeGateway({ use, urls }: GatewayProcess, request: Sent): Promise<Way> {
  const address = (urls.get('REST') ?? '').replace('/api/v1', '')
  const client = restClient(address)
  const tokenOf = async (id: 'auth.register' | 'auth.createSession', input: object, token?: string) => {
    const answer = await client.call(id, input, token)
    if (!answer.ok) throw new Error(`${id}: ${answer.message}`)
    return (answer.output as { token: { access_token: string } }).token.access_token
  }
  const user = await tokenOf('auth.register', { email: 'bench@example.com', password: 'correct horse battery' })
  const token = await tokenOf('auth.createSession', {}, user)
  return {
    name: 'Trident with its database',
    use,
    target: { transport: 'http', address },
    request: { ...request, token },
  }
}

/** All must answer who has a token, and all but a bare floor must refuse who has none. */
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
    if (admitted && !name.startsWith('bare ')) throw new Error(`${name} answers without a token.`)
  }
}
