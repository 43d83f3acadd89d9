import { readFile } from 'node:fs/promises'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { createRouter, plans } from '../../generated/trpc/router.ts'
import { changed } from '../../scripts/generate/invalid-cases.ts'
import { type OperationId, operationOf } from '../../src/contract/index.ts'
import { differences } from '../../src/contract/shared/differences.ts'
import { errorTable } from '../../src/contract/shared/errors.ts'
import type { Auth, Operation } from '../../src/contract/shared/operation.ts'
import { serveGrpc } from '../../src/protocols/grpc/server.ts'
import { trpcRoutes } from '../../src/protocols/trpc/server.ts'
import { restRequest } from '../clients/http-request.ts'
import { asOperator } from '../operator-token.ts'
import { callers, exampleWorld, serveWorld, sessionToken, userToken } from '../protocols/world.ts'
import { strangers, tokenNames } from './strangers.ts'

export type Protocol = 'rest' | 'trpc' | 'grpc'

/**
 * The callers of an operation, its valid inputs, and inputs that break one rule each: the first valid one with another
 * value at a path.
 */
export type ContractCase = {
  id: OperationId
  auth: Auth
  valid: { name: string; input: Record<string, unknown> }[]
  invalid: {
    name: string
    at: readonly (string | number)[]
    to?: unknown
    path: string
    protocols: readonly Protocol[]
  }[]
}

/** A response in the same form for every protocol: the output, or the code and paths of a refusal. */
type Answer = { output: unknown } | { code: unknown; paths: string[] }
type Ask = (id: OperationId, input: Record<string, unknown>, auth: Auth) => Promise<Answer>
type Served = Record<Protocol, Ask> & { close(): Promise<void> }

/**
 * Runs the cases of a group over the real protocols and the real gateway; the handlers return their operation's
 * example.
 */
export function defineContractTests(group: string, cases: readonly ContractCase[]): void {
  describe(group, () => {
    let served: Served
    beforeAll(async () => {
      served = await serve()
    })
    afterAll(async () => await served.close())

    for (const { id, auth, valid, invalid } of cases) {
      for (const { name, input } of valid) {
        for (const protocol of protocolsOf(id)) {
          test(`${id} takes ${name} over ${protocol}`, async () => {
            const output: unknown = (operationOf(id) as Operation).output.parse(operationOf(id).example.output)
            const answer = await served[protocol](id, input, auth)
            const comparable = losesEmptyLists(protocol) ? withoutEmptyLists : (value: unknown) => value
            expect(comparable(answer)).toEqual(comparable({ output }))
          })
        }
      }
      for (const stranger of strangers[auth]) {
        for (const protocol of protocolsOf(id)) {
          test(`${id} refuses who has ${tokenNames[stranger]} over ${protocol}`, async () => {
            const answer = await served[protocol](id, valid[0]?.input ?? {}, stranger)
            expect(answer).toMatchObject({ code: unauthenticated(protocol) })
          })
        }
      }
      for (const { name, at, to, path, protocols } of invalid) {
        const input = changed(valid[0]?.input ?? {}, at, to) as Record<string, unknown>
        for (const protocol of protocols.filter((one) => protocolsOf(id).includes(one))) {
          test(`${id} refuses ${name} over ${protocol}`, async () => {
            const answer = await served[protocol](id, input, auth)
            expect(answer).toMatchObject({ code: 'INVALID_ARGUMENT', paths: expect.arrayContaining([path]) })
          })
        }
      }
    }
  })
}

/** Streams over tRPC need a client, and have separate tests. */
function protocolsOf(id: OperationId): Protocol[] {
  const { http, kind } = operationOf(id) as Operation
  return [...(http === undefined ? [] : ['rest' as const]), ...(kind === 'unary' ? ['trpc' as const] : []), 'grpc']
}

async function serve(): Promise<Served> {
  const world = exampleWorld()
  const closing = new AbortController()
  const unexpected = (event: { error: unknown }) => void world.unexpected.push(event.error)
  const http = await serveWorld(world, {
    routes: [trpcRoutes({ ...world, createRouter, plans, callers, closing: closing.signal, unexpected })],
    closing,
  })
  const descriptors = await readFile(new URL('../../generated/grpc/descriptor.binpb', import.meta.url))
  const grpc = await serveGrpc({
    gateway: world.gateway,
    callers,
    methods: grpcMethods,
    descriptors,
    host: '127.0.0.1',
    port: 0,
    graceMs: 100,
    unexpected,
  })
  const client = new Client(`127.0.0.1:${grpc.port}`, credentials.createInsecure())
  return {
    rest: (...ask) => askRest(http.url, ...ask),
    trpc: (...ask) => askTrpc(http.url, ...ask),
    grpc: (...ask) => askGrpc(client, ...ask),
    async close() {
      client.close()
      await Promise.all([http.close(), grpc.close()])
    },
  }
}

function unauthenticated(protocol: Protocol): string | number {
  return protocol === 'grpc' ? errorTable.UNAUTHENTICATED.grpc : 'UNAUTHENTICATED'
}

function tokenOf(auth: Auth): Record<string, string> {
  if (auth === 'none') return {}
  if (auth === 'operator') return asOperator
  return { authorization: `Bearer ${auth === 'user' ? userToken : sessionToken}` }
}

async function askRest(url: string, ...[id, input, auth]: Parameters<Ask>): Promise<Answer> {
  const { path, init } = restRequest(operationOf(id) as Operation, input, tokenOf(auth))
  const response = await fetch(url + path, init)
  const text = await response.text()
  if (response.status === 200)
    return {
      output: response.headers.get('content-type')?.startsWith('text/event-stream')
        ? firstEvent(text)
        : JSON.parse(text),
    }
  const refusal = JSON.parse(text)
  // A refusal in an own format has its code in the status, and its paths in the text.
  if (refusal.code === undefined)
    return {
      code: response.status === 422 ? 'INVALID_ARGUMENT' : response.status,
      paths: [String(refusal.error).split(':')[0] ?? ''],
    }
  return { code: refusal.code, paths: (refusal.errors ?? []).map(({ path }: { path: string }) => path) }
}

/** The id of an event is sent besides its data. */
function firstEvent(text: string): unknown {
  const id = /^id: (.*)$/m.exec(text)?.[1]
  const data = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? 'null')
  return id === undefined ? data : { id, ...data }
}

async function askTrpc(url: string, ...[id, input, auth]: Parameters<Ask>): Promise<Answer> {
  const headers = { ...tokenOf(auth), 'content-type': 'application/json' }
  const body = JSON.stringify(input)
  const query = `?input=${encodeURIComponent(body)}`
  // A query too long for a URL is sent by POST, by tRPC's method override.
  const byAddress = plans[id].kind === 'query' && query.length <= 8_000
  const response = await fetch(
    `${url}/trpc/${id}${byAddress ? query : ''}`,
    byAddress ? { headers } : { method: 'POST', headers, body },
  )
  const { result, error } = JSON.parse(await response.text())
  if (error === undefined) return { output: result.data }
  const { code, errors = [] } = error.data.trident
  return { code, paths: errors.map(({ path }: { path: string }) => path) }
}

async function askGrpc(client: Client, ...[id, input, auth]: Parameters<Ask>): Promise<Answer> {
  const method = grpcMethods[id]
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(tokenOf(auth))) metadata.set(name, value)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const bytes = method.encodeRequest(input)
  const fail = (error: ServiceError) => resolve(grpcRefusal(error))
  if (method.stream) {
    const call = client.makeServerStreamRequest(method.path, raw, method.decodeResponse, bytes, metadata)
    call.on('data', (output: unknown) => resolve({ output }))
    call.on('error', (error) => fail(error as ServiceError))
  } else {
    client.makeUnaryRequest(method.path, raw, method.decodeResponse, bytes, metadata, (error, output) =>
      error === null ? resolve({ output }) : fail(error),
    )
  }
  return await promise
}

const raw = (bytes: Buffer) => bytes

/** The paths are searched in the details as text, which is enough here; other tests decode them. */
function grpcRefusal(error: ServiceError): Answer {
  const details = Buffer.from(error.metadata.get('grpc-status-details-bin')[0] ?? '').toString('latin1')
  return { code: error.code === 3 ? 'INVALID_ARGUMENT' : error.code, paths: details.match(/[A-Za-z_][\w.]*/g) ?? [] }
}

function losesEmptyLists(protocol: Protocol): boolean {
  return (differences.emptyLists.protocols as readonly Protocol[]).includes(protocol)
}

function withoutEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyLists)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, part]) => !(Array.isArray(part) && part.length === 0))
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutEmptyLists(part)]))
}
