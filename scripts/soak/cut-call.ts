import { connect } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { type OperationId, operationOf } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import type { Protocol } from '../../test/clients/client.ts'
import { framed, grpcHeaders } from '../../test/clients/grpc-frame.ts'
import { restRequest } from '../../test/clients/http-request.ts'
import type { SoakWorld } from './world.ts'

/** Sends a request and cuts its connection after so many milliseconds, unless it is answered by then. */
export async function cutCall(
  { gateway: { urls }, outcomes }: SoakWorld,
  protocol: Protocol,
  id: OperationId,
  input: object,
  token: string,
  afterMs: number,
): Promise<void> {
  const authorization = { authorization: `Bearer ${token}` }
  const seen = { operation: id, protocol, since: performance.now() }
  if (protocol === 'grpc') {
    await cutGrpc(urls.grpc, id, input, authorization, afterMs)
    outcomes.note({ ...seen, code: 'cut', cause: 'client cut' })
    return
  }
  const { path, init } =
    protocol === 'rest'
      ? restRequest(operationOf(id) as Operation, { ...input }, authorization)
      : {
          path: `/trpc/${id}`,
          init: {
            method: 'POST',
            headers: { ...authorization, 'content-type': 'application/json' },
            body: JSON.stringify(input),
          },
        }
  const answered = fetch(urls.http + path, { ...init, signal: AbortSignal.timeout(Math.ceil(afterMs)) })
  const code = await answered
    .then((response) => response.text())
    .then(
      () => 'OK',
      () => 'cut',
    )
  outcomes.note({ ...seen, code, cause: 'client cut' })
}

async function cutGrpc(address: string, id: OperationId, input: object, head: Record<string, string>, afterMs: number) {
  const { path, encodeRequest } = grpcMethods[id]
  const session = connect(`http://${address}`)
  session.on('error', () => undefined) // a gateway that is busy may be slower than the cut
  const stream = session.request({ ...grpcHeaders, ':path': path, ...head })
  stream.on('error', () => undefined)
  stream.end(framed(encodeRequest(input)))
  await sleep(afterMs)
  session.destroy()
}
