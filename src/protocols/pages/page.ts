import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { errorTable } from '../../contract/shared/errors.ts'
import { errorOfHttp } from '../http-errors.ts'

/**
 * A page, which loads nothing but what its body names; its own script serves the copy buttons. Every foreign text in
 * `body` must have passed through `html`.
 */
export function page(title: string, body: string): string {
  return barePage(title, style, `<main><h1>${html(title)}</h1>${body}</main>`)
}

/** A page whose body brings its own `main` and, beyond colours and header, its own style. */
export function barePage(title: string, style: string, body: string): string {
  const script = body.includes(' data-copy="') ? `<script>${copyScript}</script>` : ''
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === 'Trident' ? title : `${html(title)} - Trident`}</title><style>${tokens}${style}</style></head><body>${headerPlace}${body}${script}</body></html>`
}

/** Where the header goes, in the console's page too. */
export const headerPlace = '<!--site-header-->'

const siteLinks = { '/': 'Console', '/docs': 'Docs', '/explorer': 'Explorer', '/faucet': 'Faucet', '/bridge': 'Bridge' }

/** A page with the header, in which the link of its own part is marked. */
export function withHeader(text: string, path: string): string {
  const current = `/${path.split(/[/?]/)[1] ?? ''}`
  const links = Object.entries(siteLinks).map(
    ([path, name]) => `<a href="${path}"${path === current ? ' aria-current="page"' : ''}>${name}</a>`,
  )
  const header = `<nav class="site" aria-label="Trident"><span class="brand">Trident</span>${links.join('')}</nav>`
  return text.replace(headerPlace, header)
}

/** Text, escaped for HTML. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Sends a page under a strict Content-Security-Policy, which `added` may widen by the sources of a widget. */
export function sendPage(reply: FastifyReply, status: number, text: string, added: PageSources = {}): FastifyReply {
  const headers = {
    'content-security-policy': policyWith(added),
    // Not no-referrer, with which a browser hides from the server that a form is its own.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    vary: 'accept',
  }
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(withHeader(text, reply.request.url))
}

/** Sends the page of an unknown path. */
export function sendNotFound(reply: FastifyReply): FastifyReply {
  const ways =
    '<a href="/docs">documents</a>, the <a href="/docs/api">API reference</a> or the <a href="/explorer">explorer</a>'
  return sendPage(reply, 404, page('Nothing is served here', `<p>Perhaps you look for the ${ways}.</p>`))
}

/** Shows a browser what a route of pages refuses. */
export function showRefusals(app: FastifyInstance): void {
  app.setErrorHandler((thrown, _request, reply) => {
    const error = errorOfHttp(thrown)
    if (error === null) throw thrown
    const text = page('The request cannot be served', `<p>${html(error.message)}</p>`)
    return sendPage(reply, errorTable[error.code].http, text)
  })
}

/** Foreign sources that a page loads, by the kind of what is loaded. */
export type PageSources = {
  script?: string
  frame?: string
  connect?: string
  style?: string
  image?: string
  font?: string
}

/** Reveals the copy buttons, which do nothing without it. The clipboard is missing on plain http except on this machine. */
const copyScript = `for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false
  const done = () => { button.textContent = 'copied'; setTimeout(() => { button.textContent = 'copy' }, 1500) }
  button.onclick = () => {
    const text = button.dataset.copy
    if (navigator.clipboard) return navigator.clipboard.writeText(text).then(done)
    const area = document.createElement('textarea')
    area.value = text
    button.after(area)
    area.select()
    if (document.execCommand('copy')) done()
    area.remove()
  }
}`

const copySource = `'sha256-${createHash('sha256').update(copyScript).digest('base64')}'`

/** Allows inline styles, the script above, forms that are sent to this server, what is added, and nothing else. */
function policyWith({ script, frame, connect, style: styles, image, font }: PageSources): string {
  return [
    "default-src 'none'",
    `script-src ${[copySource, script].filter((source) => source !== undefined).join(' ')}`,
    `style-src ${["'unsafe-inline'", styles].filter((source) => source !== undefined).join(' ')}`,
    ...(frame === undefined ? [] : [`frame-src ${frame}`]),
    ...(connect === undefined ? [] : [`connect-src ${connect}`]),
    ...(image === undefined ? [] : [`img-src ${image}`]),
    ...(font === undefined ? [] : [`font-src ${font}`]),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The design that the console has too. */
const tokens = readFileSync(new URL('../../console/tokens.css', import.meta.url), 'utf8')

/** How a phone shows lists: each row a card, each cell beside the name of its column. A cell without one has an amount. */
const cardStyle = `@media(max-width:40rem){.cards{overflow-x:visible}.cards,.cards tbody,.cards tr{display:block}.cards tr:first-child{display:none}
.cards tr{border:1px solid var(--line);border-radius:.5rem;background:var(--raised);padding:.35rem .7rem;margin-bottom:.6rem}
.cards td{display:grid;grid-template-columns:6rem minmax(0,1fr);gap:0 .5rem;border:0;padding:.15rem 0}.cards td>*{grid-column:2;justify-self:start}
.cards td::before{content:"Amount";font-family:system-ui,sans-serif;color:var(--quiet);overflow-wrap:normal}.cards td[data-label]::before{content:attr(data-label)}article .cards td{min-width:0}}`

const style = `main{max-width:60rem;margin:1rem auto 2rem;padding:0 1rem}
table{border-collapse:collapse;display:block;overflow-x:auto;margin-bottom:1.5rem}th{text-align:left;width:9rem;vertical-align:top;color:var(--quiet);font-weight:500}
td,th{padding:.3rem .5rem;border-bottom:1px solid var(--line)}form{display:flex;flex-wrap:wrap;gap:.5rem;margin-bottom:1.5rem}input{flex:1 1 12rem;min-width:0;max-width:40rem}input,button{font:inherit;padding:.3rem .5rem}
td,code,pre{font-family:ui-monospace,monospace;overflow-wrap:anywhere}pre{font-size:.85rem;overflow-x:auto;background:var(--raised);padding:.6rem}
.line{white-space:nowrap}.line button{font-size:.8rem;padding:0 .3rem;cursor:pointer}
@media(max-width:30rem){th{width:auto}}
.text{font-family:inherit;min-width:16rem}td:has(+.text){min-width:7rem}small{color:var(--quiet)}summary{cursor:pointer}ul ul{padding-left:.8rem}li{overflow-x:auto}h3,h4{margin-bottom:.3rem}
article li{overflow-x:visible;overflow-wrap:anywhere}article th{width:auto}article td{font-family:inherit;min-width:3rem;overflow-wrap:normal}article td:first-child code,th code{overflow-wrap:normal}button{border:1px solid var(--line);border-radius:4px;background:var(--raised);color:var(--text);cursor:pointer}
.deed{font-size:1.2rem;font-weight:600;margin:.2rem 0 1rem;overflow-wrap:anywhere}.deed.reverted{color:var(--loss)}.deed.pending{color:var(--warn)}
.mark{border:1px solid;border-radius:.3rem;padding:0 .3rem;font:.8rem system-ui,sans-serif}.mark.safe{color:var(--accent)}.mark.final{color:var(--gain)}
.inner{border-left:2px solid var(--line);padding-left:.8rem}.inner th,.inner td{overflow-wrap:anywhere}.ways{display:flex;flex-wrap:wrap;gap:.3rem 1.5rem}${cardStyle}`
