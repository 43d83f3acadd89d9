import { connect, type IncomingHttpHeaders } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { type OperationId, operationOf } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import type { Protocol } from '../../test/clients/client.ts'
import { framed, grpcHeaders } from '../../test/clients/grpc-frame.ts'
import { restRequest } from '../../test/clients/http-request.ts'
import { type SoakWorld, sentNow } from './world.ts'

/** Sends a request and cuts its connection after so many milliseconds, unless the response arrives before. */
export async function cutCall(
  { gateway: { urls }, outcomes }: SoakWorld,
  protocol: Protocol,
  id: OperationId,
  input: object,
  token: string,
  afterMs: number,
): Promise<void> {
  const head = { authorization: `Bearer ${token}` }
  const seen = sentNow(id, protocol)
  const code = await (protocol === 'grpc'
    ? cutGrpc(urls.grpc, id, input, head, afterMs)
    : cutHttp(urls.http, requestOf(protocol, id, input, head), afterMs))
  outcomes.note({ ...seen, code, ...(code === 'cut' && { cause: 'client cut' }) })
}

function requestOf(protocol: 'rest' | 'trpc', id: OperationId, input: object, head: Record<string, string>) {
  if (protocol === 'rest') return restRequest(operationOf(id) as Operation, { ...input }, head)
  const headers = { ...head, 'content-type': 'application/json' }
  return { path: `/trpc/${id}`, init: { method: 'POST', headers, body: JSON.stringify(input) } }
}

/** The contract's code of the response, `cut`, or `no answer`. */
async function cutHttp(
  base: string,
  { path, init }: { path: string; init: RequestInit },
  afterMs: number,
): Promise<string> {
  const signal = AbortSignal.timeout(Math.ceil(afterMs))
  try {
    const response = await fetch(base + path, { ...init, signal })
    const text = await response.text()
    return response.ok ? 'OK' : (/"code":"([A-Z_]+)"/.exec(text)?.[1] ?? `${response.status}`)
  } catch {
    return signal.aborted ? 'cut' : 'no answer'
  }
}

async function cutGrpc(address: string, id: OperationId, input: object, head: Record<string, string>, afterMs: number) {
  const { path, encodeRequest } = grpcMethods[id]
  const session = connect(`http://${address}`)
  session.on('error', () => undefined) // a busy gateway may be slower than the cut
  const stream = session.request({ ...grpcHeaders, ':path': path, ...head })
  stream.on('error', () => undefined)
  let answered: number | undefined
  const read = (headers: IncomingHttpHeaders) => {
    if (headers['grpc-status'] !== undefined) answered = Number(headers['grpc-status'])
  }
  stream.on('response', read).on('trailers', read).resume()
  stream.end(framed(encodeRequest(input)))
  await sleep(afterMs)
  session.destroy()
  return answered === undefined ? 'cut' : (status[answered] ?? `${answered}`)
}
