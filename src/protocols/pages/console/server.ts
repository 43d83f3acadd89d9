import { readdir, readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { type ServedFile, sendFile, servedFile } from '../files.ts'
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
  const { document, licences, assets, documents } = built
  return async (app) => {
    app.get('/', async (request, reply) =>
      sendFile(request, reply.headers({ 'content-security-policy': policy, 'cache-control': 'no-store' }), document),
    )
    // Browsers ask for it on pages that name no icon.
    app.get('/favicon.ico', async (_request, reply) => reply.code(204).send())
    app.get('/licences', async (request, reply) =>
      sendFile(request, reply.header('cache-control', 'no-cache'), licences),
    )
    // The name of an asset has a hash of its content; what the pages of the documents load has a name that they know.
    serve(app, '/assets', assets, 'public, max-age=31536000, immutable')
    serve(app, '/documents', documents, 'no-cache')
  }
}

function serve(app: FastifyInstance, path: string, files: ReadonlyMap<string, ServedFile>, caching: string): void {
  app.get<{ Params: { name: string } }>(`${path}/:name`, async (request, reply) => {
    const file = files.get(request.params.name)
    return file === undefined ? reply.callNotFound() : sendFile(request, reply.header('cache-control', caching), file)
  })
}

const unbuilt = page(
  'The console is not built',
  '<p>Run <code>npm ci</code> without <code>--omit=dev</code> in the folder of the gateway, or <code>npm run build</code> where its development packages are, and start it again. The <a href="/docs/api">API reference</a> and the <a href="/docs/guides">guides</a> are there meanwhile.</p>',
)

async function readBuilt(folder: URL) {
  const document = await readFile(new URL('index.html', folder), 'utf8').catch(() => null)
  if (document === null) return null
  return {
    document: servedFile('index.html', Buffer.from(withHeader(document, '/'))),
    licences: servedFile('licences.md', await readFile(new URL('licences.md', folder))),
    assets: await readFiles(new URL('assets/', folder)),
    documents: await readFiles(new URL('documents/', folder)),
  }
}

/** The files of a folder by name. */
async function readFiles(folder: URL): Promise<Map<string, ServedFile>> {
  const names = await readdir(folder).catch(() => [])
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, servedFile(name, await readFile(new URL(name, folder)))] as const),
    ),
  )
}
