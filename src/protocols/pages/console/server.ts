import { readdir, readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { sendFile, servedFile } from '../files.ts'
import { page, sendPage, withHeader } from '../page.ts'

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
      sendFile(request, reply.headers({ 'content-security-policy': policy, 'cache-control': 'no-store' }), document),
    )
    // Browsers ask for it on pages that name no icon.
    app.get('/favicon.ico', async (_request, reply) => reply.code(204).send())
    app.get('/licences', async (request, reply) =>
      sendFile(request, reply.header('cache-control', 'no-cache'), licences),
    )
    app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
      const asset = assets.get(request.params.name)
      return asset === undefined
        ? reply.callNotFound()
        : sendFile(request, reply.headers(cachingOf(request.params.name)), asset)
    })
  }
}

const unbuilt = page(
  'The console is not built',
  '<p>Run <code>npm ci</code> without <code>--omit=dev</code> in the folder of the gateway, or <code>npm run build</code> where its development packages are, and start it again. The <a href="/docs/api">API reference</a> and the <a href="/docs/guides">guides</a> are there meanwhile.</p>',
)

async function readBuilt(folder: URL) {
  const document = await readFile(new URL('index.html', folder), 'utf8').catch(() => null)
  if (document === null) return null
  const names = await readdir(new URL('assets', folder))
  const assets = await Promise.all(
    names.map(async (name) => [name, servedFile(name, await readFile(new URL(`assets/${name}`, folder)))] as const),
  )
  return {
    document: servedFile('index.html', Buffer.from(withHeader(document, '/'))),
    licences: servedFile('licences.md', await readFile(new URL('licences.md', folder))),
    assets: new Map(assets),
  }
}

/** A name with a hash of its content never changes what it names; the scripts that pages name by hand have none. */
function cachingOf(name: string): { 'cache-control': string } {
  return { 'cache-control': name.includes('-') ? 'public, max-age=31536000, immutable' : 'no-cache' }
}
