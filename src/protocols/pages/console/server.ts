import { readdir, readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { page, sendPage, withHeader } from '../page.ts'

/** A file as it is sent: its bytes, plain and compressed. */
type Served = { type: string; plain: Buffer; gzip: Buffer }

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  md: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * Allows the files of the console, calls to this gateway, and nothing else: no inline code or style, no frame, no form that
 * the browser sends by itself. `trusted-types 'none'` lets no text become HTML, from any source.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/**
 * A Fastify plugin with the console at `/`, from the folder that `npm ci` builds it into. The files are read once. Without
 * them `/` says how to make them.
 */
export async function consoleRoutes(folder: string | URL): Promise<(app: FastifyInstance) => Promise<void>> {
  const built = await readBuilt(new URL(`${folder}/`))
  if (built === null)
    return async (app) => {
      app.get('/', async (_request, reply) => sendPage(reply, 503, unbuilt))
    }
  const { document, licences, assets } = built
  return async (app) => {
    app.get('/', async (request, reply) =>
      send(request, reply.headers({ 'content-security-policy': policy, 'cache-control': 'no-store' }), document),
    )
    // Browsers ask for it on pages that name no icon.
    app.get('/favicon.ico', async (_request, reply) => reply.code(204).send())
    app.get('/licences', async (request, reply) => send(request, reply.header('cache-control', 'no-cache'), licences))
    app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
      const asset = assets.get(request.params.name)
      // The name has a hash of the content.
      const forYear = { 'cache-control': 'public, max-age=31536000, immutable' }
      return asset === undefined ? reply.callNotFound() : send(request, reply.headers(forYear), asset)
    })
  }
}

const unbuilt = page(
  'The console is not built',
  '<p>Run <code>npm ci</code> without <code>--omit=dev</code> in the folder of the gateway, or <code>npm run build</code> where its development packages are, and start it again. The <a href="/docs">API reference</a> and the <a href="/docs/guides">guides</a> are there meanwhile.</p>',
)

async function readBuilt(folder: URL) {
  const document = await readFile(new URL('index.html', folder), 'utf8').catch(() => null)
  if (document === null) return null
  const names = await readdir(new URL('assets', folder))
  const assets = await Promise.all(
    names.map(async (name) => [name, served(name, await readFile(new URL(`assets/${name}`, folder)))] as const),
  )
  return {
    document: served('index.html', Buffer.from(withHeader(document, '/'))),
    licences: served('licences.md', await readFile(new URL('licences.md', folder))),
    assets: new Map(assets),
  }
}

function served(name: string, plain: Buffer): Served {
  return {
    type: types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    plain,
    gzip: gzipSync(plain, { level: 9 }),
  }
}

function send({ headers }: FastifyRequest, reply: FastifyReply, { type, plain, gzip }: Served): FastifyReply {
  const compressed = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(headers['accept-encoding'] ?? ''))
  reply.headers({ 'referrer-policy': 'same-origin', vary: 'accept-encoding' }).type(type)
  return compressed ? reply.header('content-encoding', 'gzip').send(gzip) : reply.send(plain)
}
