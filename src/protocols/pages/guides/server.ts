import type { FastifyInstance, FastifyReply } from 'fastify'
import { sendPage } from '../page.ts'
import { type Guide, readGuides } from './guides.ts'
import { guideListPage, guidePage, guidesPath, plain, servedMarkdown } from './page.ts'

/**
 * A Fastify plugin with the guides as pages and as Markdown, and with `/llms.txt` and `/llms-full.txt`, their list and
 * their whole text for agents. Each is rendered once, when it is registered. `root` is the project's folder.
 */
export function guideRoutes({ root }: { root: URL }): (app: FastifyInstance) => Promise<void> {
  const guides = readGuides(root)
  const list = guideListPage(guides)
  const texts = guides.map((guide) => servedMarkdown(guide))
  const agents = { list: listForAgents(guides), all: texts.join('\n') }
  return async (app) => {
    app.get(guidesPath, async (_request, reply) => sendPage(reply, 200, list))
    for (const [index, guide] of guides.entries()) {
      const page = guidePage(guide)
      app.get(`${guidesPath}/${guide.name}`, async (_request, reply) => sendPage(reply, 200, page))
      app.get(`${guidesPath}/${guide.name}.md`, async (_request, reply) =>
        sendText(reply, 'markdown', texts[index] ?? ''),
      )
    }
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
    '- [OpenAPI](/openapi.json): REST, rendered at /docs; the operation ids are the procedures of tRPC',
    '- [OpenRPC](/openrpc.json): JSON-RPC of the chain node',
    '- gRPC: package trident.v1, by reflection on the gRPC port',
    '',
  ].join('\n')
}

function sendText(reply: FastifyReply, type: 'plain' | 'markdown', text: string): FastifyReply {
  return reply.header('cache-control', 'no-cache').type(`text/${type}; charset=utf-8`).send(text)
}
