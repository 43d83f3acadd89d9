import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { createTRPCUntypedClient, httpLink, TRPCClientError } from '@trpc/client'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { type Application, openApplication } from '../../src/application.ts'
import { readConfig } from '../../src/config.ts'
import { errorTable } from '../../src/contract/errors.ts'
import { type OperationId, operationOf } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { createObserver } from '../../src/observe/observer.ts'

/** What a caller gets, the same on every protocol. `headers` are lower-case names; gRPC's are its metadata. */
export type Outcome =
  | { ok: true; output: Record<string, unknown>; headers: Record<string, string> }
  | { ok: false; code: string; message: string; headers: Record<string, string> }

export type Asker = (id: OperationId, input: object, token?: string, requestId?: string) => Promise<Outcome>

export type Gateway = AsyncDisposable & {
  urls: Application['listening']
  dataDir: string
  ask: Record<'rest' | 'trpc' | 'grpc', Asker>
}

/** The whole gateway in this process, with its embedded chain, on free ports and a folder of its own. */
export async function openGateway(settings: Record<string, string> = {}, dataDir = newFolder()): Promise<Gateway> {
  const free = { HTTP_PORT: '0', GRPC_PORT: '0', RPC_PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'error' }
  const config = readConfig({ ...free, DATA_DIR: dataDir, ...settings })
  const metrics = createMetrics()
  const application = await openApplication(config, createObserver(config.LOG_LEVEL, metrics), metrics)
  const client = new Client(application.listening.grpc, credentials.createInsecure())
  return {
    urls: application.listening,
    dataDir,
    ask: {
      rest: (id, input, token, requestId) => askRest(application.listening.http, id, input, token, requestId),
      trpc: (id, input, token, requestId) => askTrpc(application.listening.http, id, input, token, requestId),
      grpc: (id, input, token, requestId) => askGrpc(client, id, input, token, requestId),
    },
    async [Symbol.asyncDispose]() {
      client.close()
      await application[Symbol.asyncDispose]()
      if (settings.KEEP_DATA === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'trident-story-'))
}

async function askRest(
  url: string,
  id: OperationId,
  input: object,
  token?: string,
  requestId?: string,
): Promise<Outcome> {
  const { http } = operationOf(id) as Operation
  if (http === undefined) throw new Error(`${id} has no REST path`)
  const left = new Map(Object.entries(input))
  const path = http.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = String(left.get(name))
    left.delete(name)
    return encodeURIComponent(value)
  })
  const fields = Object.fromEntries(left)
  const inQuery = http.method === 'GET' || http.method === 'DELETE'
  const query = inQuery && left.size > 0 ? `?${new URLSearchParams(fields as Record<string, string>)}` : ''
  const form = http.body === 'form'
  const response = await fetch(`${url}${path}${query}`, {
    method: http.method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
      ...(inQuery ? {} : { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' }),
    },
    ...(inQuery
      ? {}
      : { body: form ? `${new URLSearchParams(fields as Record<string, string>)}` : JSON.stringify(fields) }),
  })
  const body = (await response.json()) as Record<string, unknown>
  const headers = Object.fromEntries(response.headers)
  return response.ok
    ? { ok: true, output: body, headers }
    : { ok: false, code: String(body.code), message: String(body.detail), headers }
}

async function askTrpc(
  url: string,
  id: OperationId,
  input: object,
  token?: string,
  requestId?: string,
): Promise<Outcome> {
  let headers: Record<string, string> = {}
  const client = createTRPCUntypedClient({
    links: [
      httpLink({
        url: `${url}/trpc`,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
        },
        fetch: async (address, options) => {
          const response = await fetch(address, options as RequestInit)
          headers = Object.fromEntries(response.headers)
          return response
        },
      }),
    ],
  })
  const query = (operationOf(id) as Operation).http?.method === 'GET'
  try {
    const output = await (query ? client.query(id, input) : client.mutation(id, input))
    return { ok: true, output: output as Record<string, unknown>, headers }
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error
    return { ok: false, code: String(error.data?.trident?.code), message: error.message, headers }
  }
}

async function askGrpc(
  client: Client,
  id: OperationId,
  input: object,
  token?: string,
  requestId?: string,
): Promise<Outcome> {
  const method = grpcMethods[id]
  const metadata = new Metadata()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  if (requestId !== undefined) metadata.set('x-request-id', requestId)
  let headers: Record<string, string> = {}
  const take = (sent: Metadata) => {
    headers = {
      ...headers,
      ...Object.fromEntries(Object.entries(sent.getMap()).map(([key, value]) => [key, String(value)])),
    }
  }
  return await new Promise((resolve) => {
    const same = (bytes: Buffer) => bytes
    const done = (error: ServiceError | null, bytes?: Buffer) => {
      if (error === null && bytes !== undefined) {
        resolve({ ok: true, output: method.decodeResponse(bytes) as Record<string, unknown>, headers })
        return
      }
      take(error?.metadata ?? new Metadata())
      const details = Buffer.from(error?.metadata.get('grpc-status-details-bin')[0] ?? '').toString('latin1')
      const code = Object.keys(errorTable).find((name) => details.includes(name)) ?? `status ${error?.code}`
      resolve({ ok: false, code, message: error?.details ?? '', headers })
    }
    const call = client.makeUnaryRequest(method.path, same, same, method.encodeRequest(input), metadata, done)
    call.on('metadata', take)
  })
}
