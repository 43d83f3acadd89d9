import { html, page } from '../page.ts'
import type { ShownDocument } from './document.ts'
import { operationSection } from './operation.ts'
import { schemaBlock } from './schema.ts'

/** The API reference as one page: operations by group, then the schemas they name. */
export function docsPage(document: ShownDocument): string {
  const { info, components = {} } = document
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const groups = [...Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'operations')]
  const sections = groups.map(
    ([group, members]) =>
      `<h2 id="${html(group)}">${html(group)}</h2>${members.map(({ method, path, operation }) => operationSection(document, method, path, operation)).join('')}`,
  )
  const schemas = Object.entries(components.schemas ?? {}).map(
    ([name, schema]) =>
      `<h3 id="${html(name)}">${html(name)}</h3><p>${html(schema.description ?? '')}</p>${schemaBlock(schema)}`,
  )
  const tokens = Object.entries(components.securitySchemes ?? {}).map(
    ([name, { description = '' }]) => `<tr><th>${html(name)}</th><td class="text">${html(description)}</td></tr>`,
  )
  return page(
    `API ${info.version}`,
    `<p>${html(info.description ?? '')}</p>${documents}<table>${tokens.join('')}</table>
<p>${[...groups.map(([group]) => group), 'schemas'].map((name) => `<a href="#${html(name)}">${html(name)}</a>`).join(' · ')}</p>
${sections.join('')}<h2 id="schemas">schemas</h2>${schemas.join('')}`,
  )
}

const documents =
  '<p><a href="/docs/guides">guides</a> · <a href="/openapi.json">openapi.json</a> · <a href="/openrpc.json">openrpc.json</a> · gRPC by reflection</p>'
