import { existsSync, readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { guidePage } from './guide-page.ts'
import { type Guide, guideFiles, readGuides } from './guides.ts'
import { guideListPage, guideRoutes } from './server.ts'

const root = new URL('../../../../', import.meta.url)

async function served() {
  const app = Fastify()
  await app.register(guideRoutes({ root }))
  return app
}

/** A guide of trading with this text below its heading. */
function guideOf(text: string): Guide {
  return { name: 'x', file: guideFiles.trading, title: 'A <b>title</b>', summary: '', markdown: `# A\n\n${text}\n` }
}

test('the list leads to every guide, each a page that runs its own script and needs nothing from elsewhere', async () => {
  const app = await served()
  const list = await app.inject('/docs/guides')
  for (const name of Object.keys(guideFiles)) {
    expect(list.body).toContain(`href="/docs/guides/${name}"`)
    const page = await app.inject(`/docs/guides/${name}`)
    expect(page.statusCode, name).toBe(200)
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    const script = '<script type="module" src="/documents/documents.js"></script>'
    expect(page.body.replace(script, '')).not.toMatch(/<script|<link|<img|src=|http-equiv|<!--/)
  }
  expect((await app.inject('/docs/guides/nothing')).statusCode).toBe(404)
})

test('every link of a guide to a page of the gateway leads somewhere, and so does each to a file in the checkout', async () => {
  const app = await served()
  const pages = new Map<string, string>()
  for (const guide of readGuides(root)) pages.set(`/docs/guides/${guide.name}`, guidePage(guide))
  const broken: string[] = []
  for (const [path, body] of pages)
    for (const [, link = ''] of body.matchAll(/href="([^"]+)"/g)) {
      const { pathname, hash } = new URL(link, `http://gateway${path}`)
      const target = pages.get(pathname)
      if (link.startsWith('http') || ['/docs', '/docs/guides'].includes(link)) continue
      if (target === undefined || (hash !== '' && !target.includes(`id="${hash.slice(1)}"`))) broken.push(path + link)
    }
  for (const { file, markdown } of readGuides(root))
    for (const [, link = ''] of markdown.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g))
      if (!existsSync(new URL(link, new URL(file, root)))) broken.push(`${file}: ${link}`)
  expect(broken).toEqual([])
  await app.close()
})

test('agents get the list and the whole text as Markdown', async () => {
  const app = await served()
  const list = await app.inject('/llms.txt')
  expect(list.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(list.body).toMatch(/^# Trident\n\n> \w/)
  const links = [...list.body.matchAll(/^- \[.+\]\((\S+)\): .+$/gm)].map(([, link]) => link!)
  expect(links.filter((link) => link.startsWith('/docs/guides/'))).toEqual(
    Object.keys(guideFiles).map((name) => `/docs/guides/${name}.md`),
  )
  const all = (await app.inject('/llms-full.txt')).body
  for (const name of Object.keys(guideFiles)) {
    const one = await app.inject(`/docs/guides/${name}.md`)
    expect(one.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(all).toContain(one.body)
  }
})

/** The table of all settings is for looking up. */
const generatedTable = /<!-- settings -->.*<!-- \/settings -->/s

test('a guide is between 300 and 1,500 words, and the README at most 1,000', () => {
  for (const { name, file } of readGuides(root)) {
    const words = readFileSync(new URL(file, root), 'utf8').replace(generatedTable, '').trim().split(/\s+/).length
    expect(words, file).toBeLessThanOrEqual(name === 'start' ? 1_000 : 1_500)
    expect(words, file).toBeGreaterThanOrEqual(300)
  }
})

test('no HTML of a guide is passed on, and no link runs anything', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '[b](data:text/html,x)',
    '![c](javascript:alert(1))',
    '`<script>`',
    '| <script> |\n|---|\n| <b>x</b> |',
    '[d](https://example.org/?"><script>)',
    '## <i>heading</i>',
    '```sh"><script>\n<script>\n```',
    '<javascript:alert(1)>',
  ]
  const page = guidePage(guideOf(hostile.join('\n\n')))
  expect(page).not.toMatch(/<script|<img|<b>|<i>|href="(javascript|data)|onerror=(?!alert\(1\)&)/)
  expect(page).toContain('&#60;script&#62;')
})

test('links lead from guide to guide, and to the web; a file that is not served is text', () => {
  const page = guidePage(
    guideOf(
      'See [settings](../../settings/README.md#run-on-postgresql), [web](https://example.org), [file](trade.ts), [here](#a).',
    ),
  )
  expect(page).toContain('<a href="/docs/guides/settings#run-on-postgresql">settings</a>')
  expect(page).toContain('<a href="https://example.org">web</a>, file, <a href="#a">here</a>')
})

test('the summaries of the list lose the marks of Markdown, and keep an asterisk in code', () => {
  const list = guideListPage([{ ...guideOf(''), summary: 'For *all* callers of `trading.*`, see [it](x.md).' }])
  expect(list).toContain('For all callers of trading.*, see it.')
})

test('the Markdown for agents has the links of the gateway, and no link to what it does not serve', async () => {
  const app = await served()
  const texts = [(await app.inject('/llms-full.txt')).body, (await app.inject('/llms.txt')).body]
  for (const name of Object.keys(guideFiles)) texts.push((await app.inject(`/docs/guides/${name}.md`)).body)
  const links = texts.flatMap((text) => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link))
  const own = links.filter((link) => !/^(https?:|#)/.test(link))
  expect(own.length).toBeGreaterThan(50)
  for (const link of new Set(own.map((link) => link.replace(/#.*/, ''))))
    if (link.startsWith('/docs/guides/') || link.startsWith('/llms'))
      expect((await app.inject(link)).statusCode, link).toBe(200)
    else expect(['/openapi.json', '/openrpc.json', '/mcp.json']).toContain(link)
})
