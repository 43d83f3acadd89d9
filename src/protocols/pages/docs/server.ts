import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sampleAddresses } from '../../../contract/shared/samples.ts'
import { sendDocumentPage } from '../document-page.ts'
import { type ServedFile, sendFile, servedFile } from '../files.ts'
import { page } from '../page.ts'
import { referencePage } from './reference-page.ts'
import { type RpcDocument, rpcReference } from './rpc-reference.ts'
import { toolsPage } from './tools-page.ts'

/**
 * The file of the OpenAPI document, the server address to write into it, the addresses for its samples, and the OpenRPC
 * document, which is ready once the node's address is known.
 */
type Documents = {
  openapi: string | URL
  server: string
  samples?: { http: string; grpc: string; encrypted: boolean }
  openrpc: Promise<unknown>
  /** The file with the tools of MCP. */
  mcp?: string | URL
}

/**
 * A Fastify plugin with the two documents and the API reference. Reads the file once, and throws
 * where it is missing.
 */
export async function documentRoutes(documents: Documents): Promise<(app: FastifyInstance) => Promise<void>> {
  const file = JSON.parse(withAddresses(await readFile(documents.openapi, 'utf8'), documents.samples))
  const openapi = { ...file, servers: [{ url: documents.server, description: 'This gateway' }] }
  const shown = { openapi: fileOf(openapi), openrpc: documents.openrpc.then(fileOf) }
  const reference = referencePage('/docs/api', `API ${openapi.info.version}`, '/openapi.json', openapi)
  const tools = documents.mcp === undefined ? null : toolsPage(JSON.parse(await readFile(documents.mcp, 'utf8')))
  let methods: Promise<{ file: ServedFile; page: string }> | undefined
  return async (app) => {
    app.get('/openapi.json', async (request, reply) => sendDocument(request, reply, shown.openapi))
    app.get('/openrpc.json', async (request, reply) => sendDocument(request, reply, await shown.openrpc))
    app.get('/docs', async (_request, reply) => sendDocumentPage(reply, firstPage))
    app.get('/docs/api', async (_request, reply) => sendDocumentPage(reply, reference, referenceSources))
    if (tools !== null) app.get('/docs/mcp', async (_request, reply) => sendDocumentPage(reply, tools))
    app.get('/docs/rpc', async (_request, reply) => {
      methods ??= methodsOf(documents.openrpc)
      return sendDocumentPage(reply, (await methods).page, referenceSources)
    })
    app.get('/docs/rpc.json', async (request, reply) => {
      methods ??= methodsOf(documents.openrpc)
      return await sendDocument(request, reply, (await methods).file)
    })
  }
}

/** What the reference loads besides its scripts. */
const referenceSources = { image: "'self' data:", font: "'self'" }

/** The reference of the node's methods, made when it is first asked for. */
async function methodsOf(openrpc: Promise<unknown>): Promise<{ file: ServedFile; page: string }> {
  const document = rpcReference((await openrpc) as RpcDocument)
  return {
    file: fileOf(document),
    page: referencePage('/docs/rpc', 'JSON-RPC of the chain node', '/docs/rpc.json', document),
  }
}

/** The text of the document with samples for this gateway, and with TLS where its ports speak it. */
function withAddresses(text: string, samples: Documents['samples']): string {
  if (samples === undefined) return text
  const addressed = text.replaceAll(sampleAddresses.http, samples.http).replaceAll(sampleAddresses.grpc, samples.grpc)
  return samples.encrypted
    ? addressed
        .replaceAll('insecure.NewCredentials()', 'credentials.NewTLS(nil)')
        .replaceAll('google.golang.org/grpc/credentials/insecure', 'google.golang.org/grpc/credentials')
    : addressed
}

/** Takes milliseconds, so it runs once and not for each request. */
function fileOf(document: unknown): ServedFile {
  return servedFile('.json', Buffer.from(JSON.stringify(document, null, 2)))
}

/** Sends a document that callers may cache and revalidate by its tag. */
function sendDocument(request: FastifyRequest, reply: FastifyReply, file: ServedFile): Promise<FastifyReply> {
  return sendFile(request, reply.header('cache-control', 'no-cache'), file)
}

const firstPage = page(
  'Trident',
  `<style>.three{display:grid;grid-template-columns:repeat(auto-fit,minmax(16rem,1fr));gap:1rem;margin:1.5rem 0}.three section{border:1px solid var(--line);border-radius:6px;background:var(--raised);padding:0 1rem 1rem}.three pre{background:var(--ground)}</style>
<p>A gateway for agents that research and trade on chains: quotes, risk checks, swaps, positions, profit, chat and the chain's own node. One contract is served as REST, tRPC, gRPC, JSON-RPC and MCP.</p>
<div class="three">
<section><h2>Try it</h2><p>The console makes an account with play money, without a line of code.</p><p><a href="/">Open the console</a></p></section>
<section><h2>Call it</h2><p>Every operation with samples in four languages, and a button that sends it.</p><p><a href="/docs/api">API reference</a> · <a href="/docs/guides/rest">Python</a> · <a href="/docs/guides/trpc">TypeScript</a> · <a href="/docs/guides/grpc">gRPC</a> · <a href="/docs/guides/mcp">agents</a></p></section>
<section><h2>Run it</h2><p>One command starts a gateway with a chain of its own.</p><pre tabindex="0">npm ci &amp;&amp; npm start</pre><p><a href="/docs/guides/start">First trade</a> · <a href="/docs/guides/settings">settings</a> · <a href="/docs/guides/deployment">deployment</a></p></section>
</div>
<p>All <a href="/docs/guides">guides</a>. For programs: <a href="/openapi.json">openapi.json</a> · <a href="/openrpc.json">openrpc.json</a> · <a href="/mcp.json">mcp.json</a> · <a href="/llms.txt">llms.txt</a> · gRPC by reflection</p>`,
)
