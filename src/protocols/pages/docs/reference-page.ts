import { documentLinks } from '../document-page.ts'
import { barePage, html } from '../page.ts'

/** The parts of an OpenAPI document that the list of operations shows. */
export type ShownDocument = {
  info: { description?: string }
  paths?: Record<string, Record<string, ShownOperation>>
  components?: { schemas?: object; securitySchemes?: object }
}

type ShownOperation = { operationId?: string; summary?: string; tags?: readonly string[] }

/**
 * The page of a reference: the list of operations stands until the reference has been drawn in its place, and for readers
 * without JavaScript. Its ids are the short addresses of the operations. Its script reads the
 * document from `source`.
 */
export function referencePage(path: string, title: string, source: string, document: ShownDocument): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  const groups = [...Map.groupBy(operations, ({ tags }) => tags?.[0] ?? 'operations')].map(([group, members]) => {
    const lines = members.map(({ method, path, operationId = '', summary = '' }) => {
      const address = `<code>${html(method.toUpperCase())} ${html(path)}</code>`
      return `<li id="${html(operationId)}" data-group="${html(group)}"><a href="#${html(operationId)}">${address}</a> ${html(summary)}</li>`
    })
    return `<h2>${html(group)}</h2><ul>${lines.join('')}</ul>`
  })
  return barePage(
    title,
    style,
    `<div class="top">${documentLinks(path)}${document.components?.securitySchemes === undefined ? '' : tokenBar}</div>
<main id="operations"><h1>${html(title)}</h1><p>${html(document.info.description ?? '')}</p>${groups.join('')}</main>
<div id="reference" data-document="${html(source)}"></div>
<script src="/documents/scalar.js" defer></script><script type="module" src="/documents/reference.js"></script>`,
  )
}

/** Where the script offers the token of the console's session. */
const tokenBar =
  '<p id="token" role="status"><a href="/">Log in to the console</a> to send requests in its session.</p>'

const style = `.top{display:flex;flex-wrap:wrap;gap:.3rem 1rem;padding:.5rem 1rem;border-bottom:1px solid var(--line)}#token{margin:0;font-size:.95rem}#token button{font:inherit;padding:.2rem .6rem;border:1px solid var(--line);border-radius:4px;background:var(--raised);color:var(--accent);cursor:pointer}
#operations{max-width:60rem;margin:1rem auto;padding:0 1rem}#operations li{overflow-wrap:anywhere}`
