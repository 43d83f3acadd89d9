import {
  createTRPCUntypedClient,
  httpBatchStreamLink,
  httpLink,
  httpSubscriptionLink,
  TRPCClientError,
  type TRPCLink,
} from '@trpc/client'
import type { AnyRouter } from '@trpc/server'
import { plans } from '../../generated/trpc/router.ts'
import { type OperationId, operationOf } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { type CallOptions, type Client, type Event, type Refusal, streamRefused } from './client.ts'
import { FetchEventSource } from './event-source.ts'

/** The most characters of an input in a URL. */
const longestInAddress = 4_000

/**
 * An untyped tRPC client that calls each procedure by its path and kind. `always` are headers of every subscription.
 */
export function trpcClient(url: string, always: Record<string, string> = {}): Client {
  const address = `${url}/trpc`
  const clientOf = (link: TRPCLink<AnyRouter>) => createTRPCUntypedClient<AnyRouter>({ links: [link] })

  return {
    protocol: 'trpc',
    async call(id, input, token, options) {
      let headers: Record<string, string> = {}
      const asked: typeof fetch = async (target, init) => {
        const response = await fetch(target, init)
        headers = Object.fromEntries(response.headers)
        return response
      }
      const isLong = JSON.stringify(input).length > longestInAddress
      const link = { url: address, headers: headersOf(token, options), fetch: asked as never }
      const client = clientOf(httpLink({ ...link, ...(isLong && { methodOverride: 'POST' as const }) }))
      const signal = AbortSignal.timeout(60_000)
      try {
        const isQuery = plans[id].kind === 'query'
        const output = await (isQuery ? client.query(id, input, { signal }) : client.mutation(id, input, { signal }))
        return { ok: true, output, headers }
      } catch (error) {
        return refusalOfError(error, headers)
      }
    },
    stream(id, input, token, signal, options) {
      const byPost = (operationOf(id) as Operation).http?.method === 'POST'
      const headers = headersOf(token, options)
      return byPost ? streamingMutation(id, input, headers, signal) : subscription(id, input, headers, signal)
    },
    close: () => undefined,
  }

  async function* streamingMutation(id: OperationId, input: object, headers: Headers, signal?: AbortSignal) {
    const client = clientOf(httpBatchStreamLink({ url: address, headers }))
    try {
      const events = await client.mutation(id, input, signal === undefined ? {} : { signal })
      yield* events as AsyncIterable<Event>
    } catch (error) {
      throw failureOf(error)
    }
  }

  async function* subscription(id: OperationId, input: object, headers: Headers, signal?: AbortSignal) {
    const eventSourceOptions = { headers: { ...always, ...headers } }
    const client = clientOf(httpSubscriptionLink({ url: address, EventSource: FetchEventSource, eventSourceOptions }))
    const arrived: Event[] = []
    let wake = Promise.withResolvers<void>()
    let ended: 'no' | 'well' | Error = 'no'
    const end = (how: 'well' | Error) => {
      if (ended === 'no') ended = how
      wake.resolve()
    }
    const fail = (error: unknown) => end(failureOf(error))
    const subscribed = client.subscription(id, input, {
      onData: (event: Event) => {
        // A tracked event travels as {id, data}.
        arrived.push(event?.data ?? event)
        wake.resolve()
      },
      onComplete: () => end('well'),
      onError: (error) => fail(error),
      // A refusal that tRPC considers temporary appears as a state while its client reconnects.
      onConnectionStateChange: (state) => {
        if (state.state === 'connecting' && state.error !== null) fail(state.error)
      },
    })
    const leave = () => end('well')
    signal?.addEventListener('abort', leave, { once: true })
    try {
      while (true) {
        while (arrived.length > 0) yield arrived.shift()
        const how = ended as 'no' | 'well' | Error
        if (how === 'well') return
        if (how !== 'no') throw how
        await wake.promise
        wake = Promise.withResolvers()
      }
    } finally {
      signal?.removeEventListener('abort', leave)
      subscribed.unsubscribe()
    }
  }
}

type Headers = Record<string, string>

function headersOf(token?: string, options: CallOptions = {}): Headers {
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(options.requestId === undefined ? {} : { 'x-request-id': options.requestId }),
    ...options.headers,
  }
}

/** A refusal with its details, or the error itself where there are none. */
function failureOf(error: unknown): Error {
  if (error instanceof TRPCClientError && error.data?.trident !== undefined)
    return streamRefused(refusalOfError(error, {}))
  return error instanceof Error ? error : new Error(String(error))
}

function refusalOfError(error: unknown, headers: Record<string, string>): Refusal {
  if (!(error instanceof TRPCClientError)) throw error
  const facts = error.data?.trident
  if (facts === undefined) throw error
  return {
    ok: false,
    status: error.data.httpStatus,
    code: facts.code,
    message: error.message,
    violations: facts.errors ?? [],
    ...(facts.retry_after_seconds === undefined ? {} : { retryAfterSeconds: facts.retry_after_seconds }),
    requestId: facts.request_id,
    metadata: facts.metadata ?? {},
    headers,
  }
}
