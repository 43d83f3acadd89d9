import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector receives it. */
export type CollectedSpan = {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { code?: number }
  attributes: Record<string, unknown>
  service: unknown
}

export type Collector = AsyncDisposable & { url: string; spans: CollectedSpan[] }

/** A collector of traces: takes OTLP over HTTP as JSON at /v1/traces, and nothing else. */
export async function openCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const known = request.url === '/v1/traces' && request.headers['content-type'] === 'application/json'
    if (known) spans.push(...spansOf(JSON.parse(Buffer.concat(chunks).toString())))
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type KeyValue = { key: string; value: { stringValue?: string; boolValue?: boolean; intValue?: number } }
type Export = {
  resourceSpans: {
    resource: { attributes: KeyValue[] }
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes' | 'service'> & { attributes: KeyValue[] })[] }[]
  }[]
}

function spansOf({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = factsOf(resource.attributes)['service.name']
    const spans = scopeSpans.flatMap((scope) => scope.spans)
    return spans.map((span) => ({ ...span, attributes: factsOf(span.attributes), service }))
  })
}

function factsOf(attributes: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
