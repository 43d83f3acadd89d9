import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { sendDocumentPage } from '../document-page.ts'
import { html, page } from '../page.ts'
import { addressOf, guidePage, guidesPath } from './guide-page.ts'
import { type Guide, readGuides } from './guides.ts'
import { plain } from './marks.ts'

/**
 * A Fastify plugin with the guides as pages and as Markdown, and with `/llms.txt` and `/llms-full.txt`, their list and
 * their whole text for agents. Each is rendered once, when it is registered; the history of
 * the contract when it is first asked for. `root` is the project's folder.
 */
export function guideRoutes({ root }: { root: URL }): (app: FastifyInstance) => Promise<void> {
  const guides = readGuides(root)
  const list = guideListPage(guides)
  const texts = guides.map((guide) => servedMarkdown(guide))
  let changes: string | undefined
  const agents = { list: listForAgents(guides), all: texts.join('\n') }
  return async (app) => {
    app.get(guidesPath, async (_request, reply) => sendDocumentPage(reply, list))
    for (const [index, guide] of guides.entries()) {
      const page = guidePage(guide, guides)
      app.get(`${guidesPath}/${guide.name}`, async (_request, reply) => sendDocumentPage(reply, page))
      app.get(`${guidesPath}/${guide.name}.md`, async (_request, reply) =>
        sendText(reply, 'markdown', texts[index] ?? ''),
      )
    }
    app.get('/docs/changes', async (_request, reply) => {
      changes ??= guidePage({ ...changelog, markdown: await readFile(new URL(changelog.file, root), 'utf8') })
      return sendDocumentPage(reply, changes)
    })
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
