import type { FastifyReply } from 'fastify'

/** A page without scripts or external resources. Every foreign text in `body` must have passed through `html`. */
export function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${html(title)} - Trident</title><style>${style}</style></head><body><h1>${html(title)}</h1>${body}</body></html>`
}

/** Text, escaped for HTML. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Sends a page under a strict Content-Security-Policy. */
export function sendPage(reply: FastifyReply, status: number, text: string): FastifyReply {
  const headers = {
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(text)
}

/** Sends the page of an unknown path. */
export function sendNotFound(reply: FastifyReply): FastifyReply {
  const ways =
    '<a href="/docs">API reference</a>, the <a href="/docs/guides">guides</a> or the <a href="/explorer">explorer</a>'
  return sendPage(reply, 404, page('Nothing is served here', `<p>Perhaps you look for the ${ways}.</p>`))
}

/** Allows inline styles and forms that are sent to this server, and nothing else. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}
table{border-collapse:collapse;display:block;overflow-x:auto;margin-bottom:1.5rem}th{text-align:left;width:9rem;vertical-align:top;color:#57606a;font-weight:500}
td,th{padding:.3rem .5rem;border-bottom:1px solid #d8dee4}form{display:flex;gap:.5rem;margin-bottom:1.5rem}input{flex:1;min-width:0;max-width:40rem}input,button{font:inherit;padding:.3rem .5rem}
td,code,pre{font-family:ui-monospace,monospace;overflow-wrap:anywhere}pre{font-size:.85rem;overflow-x:auto;background:#f6f8fa;padding:.6rem}
.text{font-family:inherit;min-width:16rem}td:has(+.text){min-width:7rem}small{color:#57606a}summary{cursor:pointer}h3,h4{margin-bottom:.3rem}
article th{width:auto;min-width:7rem}article td{font-family:inherit;min-width:7rem;overflow-wrap:normal}article code{overflow-wrap:normal}`
