import { type OperationId, operationOf } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { type CallOptions, type Client, type Outcome, type Refusal, streamRefused } from './client.ts'
import { restRequest } from './http-request.ts'
import { sseEvents } from './sse.ts'

/** A REST client with fetch, by the method and path of each operation. */
export function restClient(url: string): Client {
  async function request(
    id: OperationId,
    input: object,
    token?: string,
    options: CallOptions = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(options.requestId === undefined ? {} : { 'x-request-id': options.requestId }),
      ...options.headers,
    }
    const { path, init } = restRequest(operationOf(id) as Operation, { ...input }, headers)
    return await fetch(url + path, { ...init, signal: signal ?? AbortSignal.timeout(60_000) })
  }

  return {
    protocol: 'rest',
    async call(id, input, token, options) {
      const response = await request(id, input, token, options)
      return outcomeOf(response, await response.text())
    },
    async *stream(id, input, token, signal, options) {
      const response = await request(id, input, token, options, signal)
      if (response.status === 204) return // the stream is over, and its last event was the one given
      if (response.status !== 200 || response.body === null) {
        const outcome = outcomeOf(response, await response.text())
        throw outcome.ok ? new Error(`${id} did not answer with a stream.`) : streamRefused(outcome)
      }
      const hasLinesAlone = (operationOf(id) as Operation).http?.emptyEvent !== undefined
      for await (const { id: line, event, data } of sseEvents(response.body)) {
        if (data === '[DONE]') return
        const parsed = JSON.parse(data)
        const isAside = hasLinesAlone && parsed.id === undefined // a failure or a ping
        const failure = event === 'error' ? parsed : isAside ? parsed.error : undefined
        if (failure !== undefined) throw streamRefused(refusalOfProblem(failure, headersOf(response), failure.status))
        if (!hasLinesAlone && parsed.id !== undefined && line !== parsed.id)
          throw new Error(`${id} sent the event ${parsed.id} with the id ${line}, by which no reader can resume.`)
        if (!isAside) yield parsed
      }
      throw new Error(`${id} ended without [DONE].`)
    },
    close: () => undefined,
  }
}

function headersOf(response: Response): Record<string, string> {
  return Object.fromEntries(response.headers)
}

function outcomeOf(response: Response, text: string): Outcome {
  const headers = headersOf(response)
  const body: unknown = parsed(text, response)
  if (response.ok) return { ok: true, output: body, headers }
  return refusalOfProblem(body as Record<string, unknown>, headers, response.status)
}

function parsed(text: string, { status, headers }: Response): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const type = headers.get('content-type')
    throw new Error(`The status is ${status}, and the body of type ${type} is no JSON: ${text.slice(0, 200)}`)
  }
}

/** A refusal from a problem document. The faucet's own format has its code in the status and its field in the text. */
function refusalOfProblem(body: Record<string, unknown>, headers: Record<string, string>, status: number): Refusal {
  const retryAfter = headers['retry-after'] ?? body.retry_after_seconds
  const common = {
    ok: false as const,
    status,
    headers,
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }),
    requestId: String(body.request_id ?? headers['x-request-id']),
  }
  if (body.code !== undefined)
    return {
      ...common,
      code: String(body.code),
      message: String(body.detail),
      metadata: (body.metadata ?? {}) as Record<string, string>,
      violations: (body.errors ?? []) as Refusal['violations'],
    }
  const message = String(body.error)
  const path = /^([\w.]+): /.exec(message)?.[1]
  return {
    ...common,
    code: status === 422 ? 'INVALID_ARGUMENT' : status === 429 ? 'RATE_LIMITED' : `status ${status}`,
    message,
    metadata: { next_claim_time: String(body.nextClaimTime) },
    violations: path === undefined ? [] : [{ path, message, code: '' }],
  }
}
