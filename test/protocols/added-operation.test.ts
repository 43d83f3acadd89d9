import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { createTRPCUntypedClient, httpLink } from '@trpc/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { generate } from '../../scripts/generate/index.ts'
import { contract } from '../../src/contract/index.ts'
import { operation } from '../../src/contract/shared/operation.ts'
import { serveGrpc } from '../../src/protocols/grpc/server.ts'
import type { HttpServer } from '../../src/protocols/http.ts'
import { trpcRoutes } from '../../src/protocols/trpc/server.ts'
import { authorized, callers, exampleWorld, json, serveWorld, sessionToken } from './world.ts'

/** A contributor writes only this declaration and the handler below. Everything else must follow. */
const double = operation({
  kind: 'unary',
  summary: 'Double a number',
  auth: 'session',
  rate: 'default',
  http: { method: 'POST', path: '/api/v1/double' },
  input: z.strictObject({ number: z.int32().min(0).max(1_000).describe('What to double') }),
  output: z.object({ doubled: z.int32().describe('Twice the number') }),
  errors: [],
  example: { input: { number: 2 }, output: { doubled: 4 } },
})
const handler = async (_ports: unknown, input: unknown) => ({ doubled: 2 * (input as { number: number }).number })

const root = join(import.meta.dirname, '../..')
const id = 'trading.double'
let folder: string
let http: HttpServer
let grpc: Awaited<ReturnType<typeof serveGrpc>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trident-added-'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await generate({ ...contract, trading: { ...contract.trading, double } }, folder)
  const { createRouter, plans } = await import(join(folder, 'generated/trpc/router.ts'))
  const { grpcMethods } = await import(join(folder, 'generated/grpc/services.ts'))
  const world = exampleWorld({ [id]: handler }, false, new Map([[id, double]]))
  const unexpected = (event: { error: unknown }) => void world.unexpected.push(event.error)
  const closing = new AbortController().signal
  const trpc = trpcRoutes({
    ...world,
    createRouter,
    plans,
    callers,
    closing,
    unexpected,
  })
  http = await serveWorld(world, { routes: [trpc] })
  const descriptors = await readFile(join(folder, 'generated/grpc/descriptor.binpb'))
  grpc = await serveGrpc({
    ...world,
    callers,
    unexpected,
    methods: grpcMethods,
    descriptors,
    host: '127.0.0.1',
    port: 0,
    graceMs: 200,
  })
})
afterAll(async () => {
  await Promise.all([http.close(), grpc.close()])
  await rm(folder, { recursive: true })
})

test('an operation added to the contract is served over REST', async () => {
  const post = { method: 'POST', headers: { ...authorized, ...json } }
  const response = await fetch(`${http.url}/api/v1/double`, { ...post, body: '{"number":21}' })
  expect(await response.json()).toEqual({ doubled: 42 })
  const refused = await fetch(`${http.url}/api/v1/double`, { ...post, body: '{"number":-1}' })
  expect([refused.status, await refused.json()]).toMatchObject([422, { errors: [{ path: 'number' }] }])
})

test('and over tRPC', async () => {
  const client = createTRPCUntypedClient({ links: [httpLink({ url: `${http.url}/trpc`, headers: authorized })] })
  expect(await client.mutation(id, { number: 21 })).toEqual({ doubled: 42 })
})

test('and over gRPC', async () => {
  const { grpcMethods } = await import(join(folder, 'generated/grpc/services.ts'))
  const { path, encodeRequest, decodeResponse } = grpcMethods[id]
  const client = new Client(`127.0.0.1:${grpc.port}`, credentials.createInsecure())
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${sessionToken}`)
  const same = (bytes: Buffer) => bytes
  const answer = await new Promise<Buffer>((resolve, reject) => {
    client.makeUnaryRequest(path, same, same, encodeRequest({ number: 21 }), metadata, (error, bytes) =>
      error === null && bytes !== undefined ? resolve(bytes) : reject(error),
    )
  })
  client.close()
  expect(decodeResponse(answer)).toEqual({ doubled: 42 })
})

test('and documented', async () => {
  const document = JSON.parse(await readFile(join(folder, 'openapi/openapi.json'), 'utf8'))
  expect(document.paths['/api/v1/double'].post).toMatchObject({ operationId: id, summary: 'Double a number' })
  expect(await readFile(join(folder, 'proto/trident/v1/trading.proto'), 'utf8')).toContain('rpc Double(DoubleRequest)')
})
