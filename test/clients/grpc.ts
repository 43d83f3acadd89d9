import { Client as Channel, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { type CallOptions, type Client, type Refusal, streamRefused } from './client.ts'
import { loadMessages, type Messages } from './messages.ts'

/** A gRPC client with grpc-js, which knows the messages from the published descriptor only. A Buffer is sent as it is. */
export function grpcClient(address: string): Client {
  const channel = new Channel(address, credentials.createInsecure())
  const messages = loadMessages()
  const same = (bytes: Buffer) => bytes

  function requestOf(id: Parameters<Client['call']>[0], input: object) {
    const { parent, name } = messages.methodOf(id)
    return {
      path: `/${parent.typeName}/${name}`,
      bytes: Buffer.isBuffer(input) ? input : Buffer.from(messages.encode(id, input)),
    }
  }

  return {
    protocol: 'grpc',
    call(id, input, token, options) {
      const { path, bytes } = requestOf(id, input)
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Client['call']>>>()
      let headers: Record<string, string> = {}
      const call = channel.makeUnaryRequest(
        path,
        same,
        same,
        bytes,
        metadataOf(token, options),
        { deadline: Date.now() + 60_000 },
        (error, answer) => {
          try {
            if (error !== null) resolve(refusalOfStatus(messages, error, headers))
            else if (answer !== undefined) resolve({ ok: true, output: messages.decode(id, answer), headers })
          } catch (failure) {
            reject(failure)
          }
        },
      )
      call.on('metadata', (sent: Metadata) => {
        headers = textsOf(sent)
      })
      return promise
    },
    async *stream(id, input, token, signal, options) {
      const { path, bytes } = requestOf(id, input)
      const call = channel.makeServerStreamRequest(path, same, same, bytes, metadataOf(token, options))
      const leave = () => call.cancel()
      signal?.addEventListener('abort', leave, { once: true })
      try {
        for await (const bytes of call) {
          const event = messages.decode(id, bytes)
          if (messages.knowsKind(id, event)) yield event
        }
      } catch (error) {
        if (signal?.aborted) return
        throw streamRefused(refusalOfStatus(messages, error as ServiceError, {}))
      } finally {
        signal?.removeEventListener('abort', leave)
        call.cancel()
      }
    },
    close: () => channel.close(),
  }
}

function metadataOf(token?: string, options: CallOptions = {}): Metadata {
  const metadata = new Metadata()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  if (options.requestId !== undefined) metadata.set('x-request-id', options.requestId)
  for (const [name, value] of Object.entries(options.headers ?? {})) metadata.set(name, value)
  return metadata
}

function textsOf(metadata: Metadata): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.getMap()).map(([name, value]) => [name, String(value)]))
}

/** A refusal from a status with google.rpc details; without details it is named by its number. */
function refusalOfStatus(messages: Messages, error: ServiceError, headers: Record<string, string>): Refusal {
  const bytes = error.metadata?.get('grpc-status-details-bin')[0]
  const details = bytes === undefined ? [] : messages.statusOf(Buffer.from(bytes)).details
  // biome-ignore lint/suspicious/noExplicitAny: the details are proto JSON of three known messages
  const detail = (name: string): any => details.find((one) => one['@type'].endsWith(`google.rpc.${name}`))
  const info = detail('ErrorInfo')
  const broken: { field?: string; description?: string; reason?: string }[] =
    detail('BadRequest')?.fieldViolations ?? []
  const delay = detail('RetryInfo')?.retryDelay
  return {
    ok: false,
    status: error.code,
    code: info?.reason ?? `status ${error.code}`,
    message: error.details,
    violations: broken.map(({ field = '', description = '', reason = '' }) => ({
      path: field,
      message: description,
      code: reason,
    })),
    ...(delay === undefined ? {} : { retryAfterSeconds: Number.parseFloat(delay) }),
    ...(info?.metadata?.request_id === undefined ? {} : { requestId: info.metadata.request_id }),
    metadata: info?.metadata ?? {},
    headers: { ...headers, ...textsOf(error.metadata ?? new Metadata()) },
  }
}
