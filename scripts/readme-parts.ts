export const readme = new URL('../README.md', import.meta.url)

/** The text of the page with a part between its markers written anew. Throws where it has no such markers. */
export function filled(text: string, name: string, content: string): string {
  const open = `<!-- ${name} -->`
  const close = `<!-- /${name} -->`
  const start = text.indexOf(open)
  const end = text.indexOf(close)
  if (start < 0 || end < start) throw new Error(`README.md has no place for ${name}`)
  return `${text.slice(0, start + open.length)}\n${content}\n${text.slice(end)}`
}
