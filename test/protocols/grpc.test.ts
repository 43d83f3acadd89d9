import { readFile } from 'node:fs/promises'
import { Client, credentials, Metadata, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { type GrpcServer, serveGrpc } from '../../src/protocols/grpc/server.ts'
import { operatorToken } from '../operator-token.ts'
import { callers, exampleWorld, sessionToken, userToken } from './world.ts'

const world = exampleWorld()
let server: GrpcServer
let client: Client

beforeAll(async () => {
  const descriptors = await readFile(new URL('../../generated/grpc/descriptor.binpb', import.meta.url))
  const unexpected = (event: { error: unknown }) => void world.unexpected.push(event.error)
  const parts = {
    ...world,
    callers,
    methods: grpcMethods,
    descriptors,
    host: '127.0.0.1',
    port: 0,
    graceMs: 100,
    unexpected,
  }
  server = await serveGrpc(parts)
  client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure())
})

afterAll(async () => {
  client.close()
  await server.close()
})

const raw = (bytes: Buffer) => bytes

/** protobuf cannot tell an optional list that is empty from one that is absent. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value, (_key, item) => (Array.isArray(item) && item.length === 0 ? undefined : item))
  return text === undefined ? [] : JSON.parse(text)
}

test.each([...world.operations.keys()])('%s returns its example', async (id) => {
  const { example, output, auth, kind } = world.operations.get(id)!
  const method = grpcMethods[id as keyof typeof grpcMethods]
  const metadata = new Metadata()
  const token = { user: userToken, session: sessionToken, any: sessionToken, operator: operatorToken, none: null }[auth]
  if (token !== null) metadata.set('authorization', `Bearer ${token}`)
  const request = method.encodeRequest(example.input)
  const answer = Promise.withResolvers<Buffer>()
  if (kind === 'unary') {
    client.makeUnaryRequest(method.path, raw, raw, request, metadata, (error, bytes) => {
      if (error === null && bytes !== undefined) answer.resolve(bytes)
      else answer.reject(error)
    })
  } else {
    client
      .makeServerStreamRequest(method.path, raw, raw, request, metadata)
      .on('data', answer.resolve)
      .on('error', answer.reject)
  }
  expect(comparable(method.decodeResponse(await answer.promise))).toEqual(comparable(output.parse(example.output)))
})

async function codeOf(path: string, request: Buffer): Promise<status | undefined> {
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${sessionToken}`)
  return await new Promise((resolve) => {
    client.makeUnaryRequest(path, raw, raw, request, metadata, (error) => resolve(error?.code))
  })
}

test('bytes that do not decode are INVALID_ARGUMENT', async () => {
  const { path } = grpcMethods['trading.quote']
  expect(await codeOf(path, Buffer.from([0x0a, 0xff]))).toBe(status.INVALID_ARGUMENT)
})

test('the server survives a refusal of a truncated name', async () => {
  const { path, encodeRequest } = grpcMethods['research.preview']
  const { input } = world.operations.get('research.preview')!.example
  const request = encodeRequest({ ...input, analytics_params: { [`a${'😀'.repeat(150)}`]: [1] } })
  expect(await codeOf(path, request)).toBe(status.INVALID_ARGUMENT)
  expect(await codeOf(path, request)).toBe(status.INVALID_ARGUMENT)
})

test('the health service follows the checks', async () => {
  let state = 'ok'
  const checked = await serveGrpc({
    ...world,
    callers,
    methods: grpcMethods,
    descriptors: await readFile(new URL('../../generated/grpc/descriptor.binpb', import.meta.url)),
    host: '127.0.0.1',
    port: 0,
    graceMs: 100,
    unexpected: () => undefined,
    checks: async () => ({ storage: state }),
    checkMs: 5,
  })
  const asking = new Client(`127.0.0.1:${checked.port}`, credentials.createInsecure())
  /** The one byte of its field: 1 is SERVING, 2 is NOT_SERVING. */
  const status = async () =>
    await new Promise((resolve, reject) => {
      asking.makeUnaryRequest('/grpc.health.v1.Health/Check', raw, raw, Buffer.alloc(0), (error, bytes) =>
        error === null ? resolve(bytes?.at(-1)) : reject(error),
      )
    })
  expect(await status()).toBe(1)
  state = 'does not respond'
  await expect.poll(status).toBe(2)
  state = 'ok'
  await expect.poll(status).toBe(1)
  asking.close()
  await checked.close()
})
