import type { FastifyInstance, FastifyReply } from 'fastify'
import { sendPage } from '../page.ts'
import { type Guide, readGuides } from './guides.ts'
import { guideListPage, guidePage, guidesPath, plain } from './page.ts'

/**
 * A Fastify plugin with the guides as pages and as Markdown, and with `/llms.txt` and `/llms-full.txt`, their list and
 * their whole text for agents. Each is rendered once, when it is registered. `root` is the project's folder.
 */
export function guideRoutes({ root }: { root: URL }): (app: FastifyInstance) => Promise<void> {
  const guides = readGuides(root)
  const list = guideListPage(guides)
  const agents = { list: listForAgents(guides), all: guides.map(({ markdown }) => markdown).join('\n') }
  return async (app) => {
    app.get(guidesPath, async (_request, reply) => sendPage(reply, 200, list))
    for (const guide of guides) {
      const page = guidePage(guide)
      app.get(`${guidesPath}/${guide.name}`, async (_request, reply) => sendPage(reply, 200, page))
      app.get(`${guidesPath}/${guide.name}.md`, async (_request, reply) => sendText(reply, 'markdown', guide.markdown))
    }
    app.get('/llms.txt', async (_request, reply) => sendText(reply, 'plain', agents.list))
    app.get('/llms-full.txt', async (_request, reply) => sendText(reply, 'plain', agents.all))
  }
}

/** The list of guides in the form of llmstxt.org. */
function listForAgents(guides: readonly Guide[]): string {
  const lines = guides.map(({ name, title, summary }) => `- [${title}](${guidesPath}/${name}.md): ${plain(summary)}`)
  return [
    '# Trident',
    '',
    `> ${plain(guides[0]?.summary ?? '')}`,
    '',
    '## Guides',
    '',
    ...lines,
    '',
    '## Machine-readable contracts',
    '',
    '- [OpenAPI](/openapi.json): REST',
    '- [OpenRPC](/openrpc.json): JSON-RPC of the chain node',
    '',
  ].join('\n')
}

function sendText(reply: FastifyReply, type: 'plain' | 'markdown', text: string): FastifyReply {
  return reply.header('cache-control', 'no-cache').type(`text/${type}; charset=utf-8`).send(text)
}
