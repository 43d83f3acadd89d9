import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Marked } from 'marked'
import { sendDocumentPage } from '../document-page.ts'
import { html, page } from '../page.ts'
import { type Guide, guideFiles, readGuides } from './guides.ts'
import { idOf, plain, rowName } from './marks.ts'

/**
 * A Fastify plugin with the guides as pages and as Markdown, and with `/llms.txt` and `/llms-full.txt`, their list and
 * their whole text for agents. Each is rendered once, when it is registered. `root` is the project's folder.
 */
export function guideRoutes({ root }: { root: URL }): (app: FastifyInstance) => Promise<void> {
  const guides = readGuides(root)
  const list = guideListPage(guides)
  const texts = guides.map((guide) => servedMarkdown(guide))
  const changes = guidePage({ ...changelog, markdown: readFileSync(new URL(changelog.file, root), 'utf8') })
  const agents = { list: listForAgents(guides), all: texts.join('\n') }
  return async (app) => {
    app.get(guidesPath, async (_request, reply) => sendDocumentPage(reply, list))
    for (const [index, guide] of guides.entries()) {
      const page = guidePage(guide)
      app.get(`${guidesPath}/${guide.name}`, async (_request, reply) => sendDocumentPage(reply, page))
      app.get(`${guidesPath}/${guide.name}.md`, async (_request, reply) =>
        sendText(reply, 'markdown', texts[index] ?? ''),
      )
    }
    app.get('/docs/changes', async (_request, reply) => sendDocumentPage(reply, changes))
    app.get('/llms.txt', async (_request, reply) => sendText(reply, 'plain', agents.list))
    app.get('/llms-full.txt', async (_request, reply) => sendText(reply, 'plain', agents.all))
  }
}

/** The list of guides in the form of llmstxt.org. */
function listForAgents(guides: readonly Guide[]): string {
  const [start, ...others] = guides
  const lines = others.map(({ name, title, summary }) => `- [${title}](${guidesPath}/${name}.md): ${plain(summary)}`)
  return [
    '# Trident',
    '',
    `> ${plain(start?.summary ?? '')}`,
    '',
    '## Guides',
    '',
    `- [Start](${guidesPath}/${start?.name}.md): the first trade in five calls, and the architecture`,
    ...lines,
    '- [All guides in one text](/llms-full.txt)',
    '',
    '## Machine-readable contracts',
    '',
    '- [OpenAPI](/openapi.json): REST, rendered at /docs/api; the operation ids are the procedures of tRPC',
    '- [OpenRPC](/openrpc.json): JSON-RPC of the chain node',
    '- [MCP](/mcp.json): the tools of agents at /mcp',
    '- gRPC: package trident.v1, by reflection on the gRPC port',
    '',
  ].join('\n')
}

function sendText(reply: FastifyReply, type: 'plain' | 'markdown', text: string): FastifyReply {
  return reply.header('cache-control', 'no-cache').type(`text/${type}; charset=utf-8`).send(text)
}

/** A guide as a page. HTML in its Markdown is left out, and so are pictures, which the policy of the pages does not allow. */
export function guidePage(guide: Guide): string {
  const marked = new Marked({
    renderer: {
      html: () => '',
      image: () => '',
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${html(idOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const address = addressOf(href, guide.file)
        return address === null ? text : `<a href="${html(address)}">${text}</a>`
      },
      tablerow({ text }) {
        const name = rowName(text.replace(/^<td[^>]*><code>([^<]*)<\/code>.*$/s, '`$1`'))
        return `<tr${name === null ? '' : ` id="${name}"`}>\n${text}</tr>\n`
      },
      // A column without a name has no header that a reader could announce.
      tablecell({ header, align, tokens }) {
        const tag = header && tokens.length > 0 ? 'th' : 'td'
        const side = align === null ? '' : ` align="${align}"`
        return `<${tag}${side}>${this.parser.parseInline(tokens)}</${tag}>\n`
      },
      code: ({ text, lang = '' }) => `<pre><code class="language-${html(lang)}">${html(text)}</code></pre>\n`,
    },
  })
  const body = marked.parse(guide.markdown.replace(/^# .+\n/, ''), { async: false })
  return page(guide.title, `<article>${body}</article>`)
}

/** The list of guides as a page. */
export function guideListPage(guides: readonly Guide[]): string {
  const rows = guides.map(
    ({ name, title, summary }) =>
      `<tr><th><a href="${guidesPath}/${name}">${html(title)}</a></th><td class="text">${html(plain(summary))}</td></tr>`,
  )
  return page(
    'Guides',
    `<p>For agents: <a href="/llms.txt">llms.txt</a>, <a href="/llms-full.txt">llms-full.txt</a></p><table>${rows.join('')}</table>`,
  )
}

/** The history of the contract, a document of its own. */
const changelog = { name: 'changes', file: 'openapi/CHANGELOG.md', title: 'Changes of the contract', summary: '' }

const guidesPath = '/docs/guides'

/** The Markdown of a guide with the links as served here: those to files that are not served are plain text, and pictures are left out. */
function servedMarkdown({ markdown, file }: Guide): string {
  const withLinks = (text: string) =>
    text.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, picture: string, label: string, href: string) => {
      if (picture !== '') return ''
      if (/^(https?:|#)/.test(href)) return whole
      const address = addressOf(href, file)
      return address === null ? label : `[${label}](${address.replace(/(#.*)?$/, '.md$1')})`
    })
  // Every other piece is a block of code, which stays as it is.
  return markdown
    .split(/^(```[\s\S]*?^```)/m)
    .map((piece, index) => (index % 2 === 0 ? withLinks(piece) : piece))
    .join('')
}

/** Where a link of a guide leads here: to another guide, into this page or to the web; null for a file that is not served. */
function addressOf(href: string, file: string): string | null {
  if (href.startsWith('#') || /^https?:/.test(href)) return href
  const { protocol, pathname, hash } = new URL(href, `file:///${file}`)
  if (protocol !== 'file:') return null
  const target = Object.entries(guideFiles).find(([, path]) => [`/${path}`, `/${path}/`].includes(pathname))
  return target === undefined ? null : `${guidesPath}/${target[0]}${hash}`
}
