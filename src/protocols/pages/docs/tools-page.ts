import { html, page } from '../page.ts'

/** The parts of the document of MCP that its page shows. */
type McpDocument = { tools: readonly { name: string; title?: string; description?: string; inputSchema: Input }[] }

type Input = {
  properties?: Record<string, { description?: string; type?: string | string[] }>
  required?: readonly string[]
}

/** The tools of agents, with what each takes. */
export function toolsPage({ tools }: McpDocument): string {
  const sections = tools.map(
    ({ name, title = name, description = '', inputSchema: { properties = {}, required = [] } }) => {
      const rows = Object.entries(properties).map(([field, { description = '', type = '' }]) => {
        const kind = [[type].flat().join(' or '), ...(required.includes(field) ? ['required'] : [])].filter(Boolean)
        return `<tr><td data-label="field"><code>${html(field)}</code></td><td data-label="type">${html(kind.join(', '))}</td><td data-label="meaning">${html(description)}</td></tr>`
      })
      const input =
        rows.length === 0
          ? '<p>It takes nothing.</p>'
          : `<table class="cards"><tr><th>field</th><th>type</th><th>meaning</th></tr>${rows.join('')}</table>`
      return `<h2 id="${html(name)}"><code>${html(name)}</code> ${html(title)}</h2><p>${html(description)}</p>${input}`
    },
  )
  const links = tools.map(({ name }) => `<a href="#${html(name)}">${html(name)}</a>`)
  return page(
    'MCP tools',
    `<p>Tools for agents at <code>/mcp</code>. The <a href="/docs/guides/mcp">guide</a> connects a client.</p><p>${links.join(' · ')}</p><article>${sections.join('')}</article>`,
  )
}
