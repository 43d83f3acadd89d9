import { readFileSync } from 'node:fs'
import { guideFiles } from '../../src/protocols/pages/guides/guides.ts'
import { idOf, plain, rowName } from '../../src/protocols/pages/guides/marks.ts'

/** A place that a search of the documents finds. */
export type Found = {
  /** Its address, which is unique. */
  id: string
  /** What it is: a guide, an operation, a method, a tool, a setting or an error. */
  kind: string
  title: string
  /** Other words that readers look for it by. */
  words: string
  text: string
}

/** Everything that can be found, from the guides and the documents below the project's folder. */
export function allFound(root: URL): Found[] {
  const json = (path: string) => JSON.parse(readFileSync(new URL(path, root), 'utf8'))
  const guides = Object.entries(guideFiles).flatMap(([name, file]) =>
    guideParts(name, readFileSync(new URL(file, root), 'utf8')),
  )
  return [
    ...guides,
    ...operations(json('openapi/openapi.json')),
    ...methods(json('openapi/openrpc.json')),
    ...tools(json('openapi/mcp.json')),
  ]
}

/** The sections of a guide, with the words of the comments `search:` in them, and the rows that have a name. */
export function guideParts(guide: string, markdown: string): Found[] {
  const address = `/docs/guides/${guide}`
  const outsideCode = markdown.replace(/^```[\s\S]*?^```/gm, (code) => code.replace(/^#/gm, ' '))
  return outsideCode.split(/^(?=#{1,3} )/m).flatMap((section) => {
    const [heading = '', ...lines] = section.split('\n')
    const title = heading.replace(/^#+ /, '')
    if (title === '') return []
    const body = lines.join('\n')
    const id = heading.startsWith('# ') ? address : `${address}#${idOf(title)}`
    const words = [...body.matchAll(/^<!-- search: (.+) -->$/gm)].map(([, named]) => named).join(' ')
    const rows = lines.flatMap((line) => rowFound(address, guide, line))
    const shown = rows.length > 0 ? lines.filter((line) => !line.startsWith('|')).join('\n') : body
    const text = plain(
      shown
        .replace(/^<!--.*-->$/gm, '')
        .replace(/^```.*$/gm, '')
        .replace(/\||-{3,}/g, ' '),
    )
    return [{ id, kind: 'guide', title: plain(title), words, text: shortened(text) }, ...rows]
  })
}

/** A row of settings or errors, which are found by their names. */
function rowFound(address: string, guide: string, line: string): Found[] {
  const [, first = '', ...cells] = line.split('|')
  const name = rowName(first)
  const kind = { settings: 'setting', rules: 'error' }[guide]
  if (name === null || kind === undefined) return []
  const text = shortened(plain(kind === 'error' ? (cells[1] ?? '') : cells.join(' ')))
  const words = kind === 'error' ? (cells[0] ?? '').trim() : name.replaceAll('_', ' ')
  return [{ id: `${address}#${name}`, kind, title: kind === 'error' ? `${words} ${name}` : name, words, text }]
}

type Documented = { operationId: string; summary: string; description: string }

function operations({ paths }: { paths: Record<string, Record<string, Documented>> }): Found[] {
  return Object.entries(paths).flatMap(([path, members]) =>
    Object.entries(members).map(([method, { operationId, summary, description }]) => ({
      id: `/docs/api#${operationId}`,
      kind: 'operation',
      title: summary,
      words: `${operationId} ${path}`,
      text: shortened(`${method.toUpperCase()} ${path}. ${description.split('tRPC `')[0]}`),
    })),
  )
}

function methods(document: { methods: { name: string; summary?: string; description?: string }[] }): Found[] {
  return document.methods.map(({ name, summary = '', description = '' }) => ({
    id: `/docs/rpc#${name}`,
    kind: 'method',
    title: name,
    words: name.replace('_', ' '),
    text: shortened(`${summary}. ${description}`),
  }))
}

function tools(document: { tools: { name: string; title?: string; description?: string }[] }): Found[] {
  return document.tools.map(({ name, title = name, description = '' }) => ({
    id: `/docs/mcp#${name}`,
    kind: 'MCP tool',
    title,
    words: name,
    text: shortened(description),
  }))
}

/** The beginning of a text on one line; it is what a search looks through. */
function shortened(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 1_500)
}
