/** How a language writes the values of JSON. */
export type Style = {
  text(value: string): string
  key(name: string): string
  /** What stands between the braces of an object on one line, and its entries. */
  pad: string
  indent: string
  /** What follows the last entry of several lines. */
  end: string
  true: string
  false: string
  null: string
}

/** The longest value on one line, in characters. */
const lineLength = 60

/** A value of JSON in a language: on one line where it is short, else with a line for each entry. */
export function literal(value: unknown, style: Style, depth = 0): string {
  if (typeof value === 'string') return style.text(value)
  if (typeof value === 'boolean') return value ? style.true : style.false
  if (value === null || typeof value !== 'object') return value === null ? style.null : String(value)
  const isList = Array.isArray(value)
  const [open, close, pad] = isList ? ['[', ']', ''] : ['{', '}', style.pad]
  const entries = Object.entries(value).map(
    ([name, entry]) => `${isList ? '' : `${style.key(name)}: `}${literal(entry, style, depth + 1)}`,
  )
  if (entries.length === 0) return open + close
  const line = `${open}${pad}${entries.join(', ')}${pad}${close}`
  if (line.length <= lineLength && !line.includes('\n')) return line
  const inner = style.indent.repeat(depth + 1)
  return `${open}\n${inner}${entries.join(`,\n${inner}`)}${style.end}\n${style.indent.repeat(depth)}${close}`
}

/** A text in double quotes, as JSON, Python and Go read it alike. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text)
}

/** JSON itself, which takes no comma after the last entry. */
export const json: Style = {
  text: doubleQuoted,
  key: doubleQuoted,
  pad: '',
  indent: '  ',
  end: '',
  true: 'true',
  false: 'false',
  null: 'null',
}
