import { readFile } from 'node:fs/promises'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { createRouter, plans } from '../../generated/trpc/router.ts'
import { contract } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { serveGrpc } from '../../src/protocols/grpc/server.ts'
import type { HttpServer } from '../../src/protocols/http.ts'
import { trpcRoutes } from '../../src/protocols/trpc/server.ts'
import { authorized, callers, exampleWorld, serveWorld, sessionToken } from './world.ts'

/** An operation whose end is announced, and one without an end date. */
const ending: [string, Operation][] = [
  [
    'trading.listWallets',
    {
      ...contract.trading.listWallets,
      deprecated: { since: '0.2.0', on: '2026-12-01', sunset: '2027-06-30', use: 'trading.listChains' },
    },
  ],
  ['chat.history', { ...contract.chat.history, deprecated: { since: '0.2.0', on: '2026-12-01', use: 'chat.send' } }],
]
const announced = ['@1796083200', 'Wed, 30 Jun 2027 00:00:00 GMT']

let http: HttpServer
let grpc: Awaited<ReturnType<typeof serveGrpc>>

beforeAll(async () => {
  const world = exampleWorld({}, false, new Map(ending))
  const unexpected = (event: { error: unknown }) => void world.unexpected.push(event.error)
  const closing = new AbortController()
  const parts = { ...world, callers, unexpected }
  const trpc = trpcRoutes({ ...parts, createRouter, plans, closing: closing.signal })
  http = await serveWorld(world, { routes: [trpc], closing })
  const descriptors = await readFile(new URL('../../generated/grpc/descriptor.binpb', import.meta.url))
  grpc = await serveGrpc({ ...parts, methods: grpcMethods, descriptors, host: '127.0.0.1', port: 0, graceMs: 100 })
})
afterAll(async () => await Promise.all([http.close(), grpc.close()]))

const received = ({ headers }: Response) => [headers.get('deprecation'), headers.get('sunset')]

test.each(['/api/v1/wallets', '/trpc/trading.listWallets'])(
  '%s tells its end with answers and refusals',
  async (path) => {
    expect(received(await fetch(http.url + path, { headers: authorized }))).toEqual(announced)
    const refused = await fetch(http.url + path)
    expect([refused.status, ...received(refused)]).toEqual([401, ...announced])
  },
)

test('over gRPC it is metadata', async () => {
  const client = new Client(`127.0.0.1:${grpc.port}`, credentials.createInsecure())
  const { path, encodeRequest } = grpcMethods['trading.listWallets']
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${sessionToken}`)
  const raw = (bytes: Buffer) => bytes
  const answered = await new Promise<Metadata>((resolve, reject) => {
    client
      .makeUnaryRequest(path, raw, raw, encodeRequest({}), metadata, (error) => error !== null && reject(error))
      .on('metadata', resolve)
  })
  client.close()
  expect(['deprecation', 'sunset'].flatMap((name) => answered.get(name))).toEqual(announced)
})

test('without a known date no sunset is sent; an operation that is not deprecated sends nothing', async () => {
  expect(received(await fetch(`${http.url}/api/v1/chatbot/messages`, { headers: authorized }))).toEqual([
    announced[0],
    null,
  ])
  expect(received(await fetch(`${http.url}/api/v1/chains`, { headers: authorized }))).toEqual([null, null])
})
