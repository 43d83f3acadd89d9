import { html } from './page.ts'

/** Markup that is safe to put into a page: its maker has passed every foreign text through `html`. */
export type Markup = { markup: string }

export type Cell = string | Markup

export function write(cell: Cell): string {
  return typeof cell === 'string' ? html(cell) : cell.markup
}

/** A table of names and values. */
export function facts(rows: readonly (readonly [string, Cell])[]): string {
  const lines = rows.map(([name, value]) => `<tr><th>${html(name)}</th><td>${write(value)}</td></tr>`)
  return `<table>${lines.join('')}</table>`
}

/** A table under a heading with the number of its rows, which a phone shows as cards. */
export function list(title: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const heading = `<h2>${html(title)} (${rows.length})</h2>`
  if (rows.length === 0) return `${heading}<p>None.</p>`
  const head = columns.map((name) => `<th>${html(name)}</th>`).join('')
  const body = rows.map((row) => `<tr>${row.map((cell, place) => cellOf(cell, columns[place])).join('')}</tr>`).join('')
  return `${heading}<table class="cards"><tr>${head}</tr>${body}</table>`
}

/** A cell that names its column for a card. The style names the column of amounts, whose cells programs read by their tag. */
function cellOf(cell: Cell, column = ''): string {
  return column === amountColumn ? `<td>${write(cell)}</td>` : `<td data-label="${html(column)}">${write(cell)}</td>`
}

const amountColumn = 'Amount'

/** A hash or an address on one line: shortened, whole on hover and by its copy button, and a link where it has a page. */
export function hashCell(hash: string, path?: string): Markup {
  const whole = html(hash)
  const short = hash.length <= 22 ? whole : `${html(hash.slice(0, 10))}…${html(hash.slice(-8))}`
  const code = `<code title="${whole}">${short}</code>`
  const linked = path === undefined ? code : `<a href="${html(path)}">${code}</a>`
  const copy = `<button type="button" hidden data-copy="${whole}" aria-label="Copy ${whole}">copy</button>`
  return { markup: `<span class="line">${linked} ${copy}</span>` }
}

/** A moment to the second, in UTC, on one line, and how long ago that is. */
export function timeCell(moment: Date, now = new Date()): Markup {
  const line = `<span class="line">${moment.toISOString().slice(0, 19).replace('T', ' ')} UTC</span>`
  return { markup: `${line} <small class="line">${ageOf(moment, now)}</small>` }
}

const spans = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** The time since a moment, or until it, in its largest whole unit. */
function ageOf(moment: Date, now: Date): string {
  const seconds = Math.trunc((now.getTime() - moment.getTime()) / 1_000)
  const size = Math.abs(seconds)
  const [unit, length] = spans.find(([, length]) => size >= length) ?? ['s', 1]
  const text = `${Math.floor(size / length)} ${unit}`
  return seconds < 0 ? `in ${text}` : `${text} ago`
}

/** Wei as an exact amount of the native currency. */
export function units(wei: bigint, symbol: string): string {
  const digits = wei.toString().padStart(19, '0')
  const fraction = digits.slice(-18).replace(/0+$/, '')
  return `${digits.slice(0, -18)}${fraction === '' ? '' : `.${fraction}`} ${symbol}`
}

/** Links to what stands before and after a page, where there is something. */
export function neighbours(before: [string, string] | null, after: [string, string] | null): string {
  const previous = before === null ? '' : `<a rel="prev" href="${html(before[1])}">← ${html(before[0])}</a>`
  const next = after === null ? '' : `<a rel="next" href="${html(after[1])}">${html(after[0])} →</a>`
  return previous === '' && next === '' ? '' : `<p class="ways">${previous} ${next}</p>`
}
