import { html, page } from '../page.ts'

/** The part of an OpenAPI document that the page shows. */
export type ShownDocument = {
  info: { title: string; version: string; description?: string }
  paths?: Record<string, Record<string, unknown>>
}

type ShownOperation = { summary?: unknown; description?: unknown; operationId?: unknown; tags?: unknown }

/** A list of every path by group, without scripts; the documents themselves are linked for tools. */
export function docsPage(document: ShownDocument): string {
  const rows = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['get', 'post', 'patch', 'delete'].includes(method))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation: operation as ShownOperation })),
  )
  const groups = Map.groupBy(
    rows,
    ({ operation }) =>
      textOf(Array.isArray(operation.tags) ? operation.tags[0] : operation.operationId).split('.', 1)[0] ?? '',
  )
  const sections = [...groups].map(([group, members]) => `<h2>${html(group)}</h2>${members.map(section).join('')}`)
  const links =
    '<p><a href="/openapi.json">openapi.json</a> · <a href="/openrpc.json">openrpc.json</a> · gRPC by reflection</p>'
  return page(
    `${document.info.title} ${document.info.version}`,
    `<p>${html(document.info.description ?? '')}</p>${links}${sections.join('')}`,
  )
}

function section({ method, path, operation }: { method: string; path: string; operation: ShownOperation }): string {
  const description = textOf(operation.description)
  return `<h3><code>${method} ${html(path)}</code></h3><p>${html(textOf(operation.summary))}${description === '' ? '' : `<br>${html(description)}`}</p>`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
