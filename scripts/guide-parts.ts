/** The text of a guide with what stands between the two marks of a part replaced. Throws an Error where it has no such marks. */
export function withPart(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->\n`]
  const [start, end] = [text.indexOf(open), text.indexOf(close)]
  if (start < 0 || end < start) throw new Error(`The guide has no marks of the part ${name}.`)
  return `${text.slice(0, start + open.length)}${content}\n${text.slice(end)}`
}
