import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { connect, createServer as createHttp2Server, type IncomingHttpHeaders as Headers2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A response over HTTP as the proxy may change it. */
export type HttpAnswer = { status: number; headers: Record<string, string>; body: string }

/** A proxy, and where it listens. Disposing ends its connections. */
export type Proxy = AsyncDisposable & { url: string }

/** A proxy before an HTTP server that changes responses. They are read whole, so no stream through it may be endless. */
export async function httpProxy(
  target: string,
  change: (path: string, answer: HttpAnswer, asked: string) => HttpAnswer,
): Promise<Proxy> {
  const server = createServer(async (request, response) => {
    const asked = await buffer(request)
    const path = request.url ?? '/'
    try {
      const answer = await fetch(target + path, {
        method: request.method ?? 'GET',
        headers: passedOn(request.headers),
        ...(asked.length > 0 ? { body: asked } : {}),
      })
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => !ofTheConnection.includes(name)))
      const changed = change(path, { status: answer.status, headers, body: await answer.text() }, String(asked))
      response.writeHead(changed.status, changed.headers).end(changed.body)
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Headers of one connection, and of a body that is sent anew. */
const ofTheConnection = ['connection', 'content-length', 'content-encoding', 'transfer-encoding', 'keep-alive']

function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => ![...ofTheConnection, 'host', 'expect'].includes(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}

/** The parts of a gRPC response that the proxy may change: its headers, and the trailers with its status. */
export type GrpcChange = (path: string, part: 'headers' | 'trailers', fields: Headers2) => Headers2

/** A proxy before a gRPC server that changes headers and trailers. */
export async function grpcProxy(target: string, change: GrpcChange): Promise<Proxy> {
  const upstream = connect(`http://${target}`)
  const server = createHttp2Server()
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => void sessions.add(session))
  server.on('stream', (stream, headers) => {
    const path = String(headers[':path'])
    const call = upstream.request({ ...headers })
    let trailers: Headers2 = {}
    stream.pipe(call)
    stream.on('close', () => call.close())
    for (const side of [stream, call]) side.on('error', () => undefined)
    call.on('response', (fields, flags) => {
      // A refusal without a message has its status in the headers.
      const isWhole = (flags & 1) === 1
      const passed = change(path, isWhole ? 'trailers' : 'headers', change(path, 'headers', own(fields)))
      if (isWhole) return stream.respond(passed, { endStream: true })
      stream.respond(passed, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers(change(path, 'trailers', trailers)))
      call.pipe(stream)
    })
    call.on('trailers', (fields) => {
      trailers = own(fields)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      upstream.destroy()
      for (const session of sessions) session.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function own(fields: Headers2): Headers2 {
  return Object.fromEntries(Object.entries(fields))
}
