import type { FastifyReply } from 'fastify'
import { html, type PageSources, sendPage } from './page.ts'

/** The pages of the documents by their address, in the order of their links. */
const parts = {
  '/docs/guides': 'Guides',
  '/docs/api': 'API',
  '/docs/rpc': 'JSON-RPC',
  '/docs/mcp': 'MCP tools',
  '/docs/changes': 'Changes',
}

const linkStyle =
  '.documents{display:flex;flex-wrap:wrap;gap:.3rem .9rem;align-items:center;position:relative;font-size:.95rem}.documents [aria-current]{color:var(--text);font-weight:600}'

/** The links to the documents, with that of the page itself marked. */
export function documentLinks(path: string): string {
  const links = Object.entries(parts).map(
    ([address, name]) => `<a href="${address}"${path === address ? ' aria-current="page"' : ''}>${html(name)}</a>`,
  )
  return `<style>${linkStyle}</style><nav class="documents" aria-label="Documents">${links.join(' ')}</nav>`
}

/**
 * Sends a page of the documents: below the links to all of them, with the script that finds things in them, under a policy
 * that allows what it loads.
 */
export function sendDocumentPage(reply: FastifyReply, text: string, added: PageSources = {}): FastifyReply {
  const [path = ''] = reply.request.url.split(/[?#]/)
  const script = '<script type="module" src="/documents/documents.js"></script></body>'
  const whole = text.replace('<main>', `<main>${documentLinks(path)}`).replace('</body>', script)
  return sendPage(reply, 200, whole, { script: "'self'", connect: "'self'", ...added })
}
