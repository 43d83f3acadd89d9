import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { consoleRoutes } from './server.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-'))
  await mkdir(join(folder, 'built/assets'), { recursive: true })
  await mkdir(join(folder, 'built/documents'))
  await writeFile(join(folder, 'built/index.html'), '<body><!--site-header--><div id="console"></div></body>')
  await writeFile(join(folder, 'built/licences.md'), 'MIT')
  await writeFile(join(folder, 'built/assets/main-1a2b.js'), 'let ready = true')
  await writeFile(join(folder, 'built/documents/reference.js'), 'let drawn = true')
  await writeFile(join(folder, 'secret.txt'), 'secret')
})
afterAll(() => rm(folder, { recursive: true }))

async function served(name: string) {
  const app = Fastify()
  await app.register(await consoleRoutes(pathToFileURL(join(folder, name))))
  return app
}

test('the page comes with the header of all pages, under a policy without inline code', async () => {
  const { body, headers } = await (await served('built')).inject('/')
  expect(body).toContain('<a href="/" aria-current="page">Console</a><a href="/docs">Docs</a>')
  expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self'; connect-src 'self'")
  expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
  expect(headers['content-security-policy']).not.toContain('unsafe')
})

test('an asset is cached for good and compressed for those who take it; nothing else of the disk is served', async () => {
  const app = await served('built')
  const plain = await app.inject('/assets/main-1a2b.js')
  expect([plain.body, plain.headers['content-type']]).toEqual(['let ready = true', 'text/javascript; charset=utf-8'])
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const packed = await app.inject({ url: '/assets/main-1a2b.js', headers: { 'accept-encoding': 'br, gzip' } })
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(packed.rawPayload).toString()).toBe('let ready = true')
  const scriptOfPages = await app.inject('/documents/reference.js')
  expect(scriptOfPages.headers['cache-control']).toBe('no-cache')
  const tag = String(scriptOfPages.headers.etag)
  expect((await app.inject({ url: '/documents/reference.js', headers: { 'if-none-match': tag } })).statusCode).toBe(304)
  const refused = ['/assets/..%2f..%2fsecret.txt', '/assets/nothing.js', '/assets/__proto__']
  expect(await Promise.all(refused.map(async (url) => (await app.inject(url)).statusCode))).toEqual([404, 404, 404])
  expect((await app.inject('/licences')).body).toBe('MIT')
})

test('without a build the page says how to make one', async () => {
  const { statusCode, body } = await (await served('absent')).inject('/')
  expect([statusCode, body.includes('npm run build')]).toEqual([503, true])
})
