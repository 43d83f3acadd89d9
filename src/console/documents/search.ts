import MiniSearch, { type SearchResult } from 'minisearch'
import { bestFirst, indexOptions } from './ranking.ts'
import style from './search.css?inline'

type Result = SearchResult & { kind: string; title: string; text: string }

/** The most results that are shown. */
const most = 8
/** The letters of a result's text. */
const excerptLetters = 120

let index: Promise<MiniSearch> | undefined

/** Puts a field into the links of the documents that searches them all; the key / leads to it. */
export function addSearch(place: HTMLElement): void {
  const field = document.createElement('input')
  const list = document.createElement('div')
  Object.assign(field, { type: 'search', placeholder: 'Search  /', autocomplete: 'off', maxLength: 100 })
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-label': 'Search the documents',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': 'found',
  }))
    field.setAttribute(name, value)
  Object.assign(list, { id: 'found', role: 'listbox', ariaLabel: 'Results', hidden: true })
  const sheet = document.createElement('style')
  sheet.textContent = style
  document.head.append(sheet)
  place.append(field, list)

  let active = 0
  /** The text that the list answers. */
  let answered = ''
  const options = () => [...list.querySelectorAll<HTMLElement>('[role=option]')]
  const show = () => {
    for (const [position, option] of options().entries()) option.ariaSelected = String(position === active)
    field.setAttribute('aria-activedescendant', options()[active]?.id ?? '')
    options()[active]?.scrollIntoView({ block: 'nearest' })
  }
  const update = async () => {
    const text = field.value.trim()
    const results = text === '' ? [] : await search(text).catch(() => null)
    if (text !== field.value.trim()) return
    list.replaceChildren(...linesOf(text, results))
    list.hidden = text === ''
    field.ariaExpanded = String(!list.hidden)
    active = 0
    answered = text
    show()
  }
  const open = async () => {
    if (answered !== field.value.trim()) await update()
    options()[active]?.click()
  }
  const close = () => {
    list.hidden = true
    field.ariaExpanded = 'false'
  }
  field.addEventListener('focus', () => void load().catch(() => null))
  field.addEventListener('input', () => void update())
  field.addEventListener('blur', close)
  // The field keeps the focus while a result is pressed.
  list.addEventListener('mousedown', (event) => event.preventDefault())
  field.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      active = (active + step + options().length) % Math.max(options().length, 1)
      show()
    }
    if (event.key === 'Enter') void open()
    if (event.key === 'Escape') close()
  })
  list.addEventListener('click', close)
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyped(event.target)) return
    event.preventDefault()
    field.focus()
  })
}

/** Whether what is typed goes into a field. */
function isTyped(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}

/** The best results, in which all words occur where any has them all. */
async function search(text: string): Promise<Result[]> {
  return bestFirst(await load(), text).slice(0, most) as Result[]
}

/** The index, which is fetched once, when it is first needed; after a failure it is fetched again. */
function load(): Promise<MiniSearch> {
  index ??= fetchIndex().catch((error: unknown) => {
    index = undefined
    throw error
  })
  return index
}

async function fetchIndex(): Promise<MiniSearch> {
  const response = await fetch('/documents/search.json')
  if (!response.ok) throw new Error(`The index of the search is not there: ${response.status}`)
  return MiniSearch.loadJSON(await response.text(), indexOptions)
}

function optionOf({ id, kind, title, text }: Result, position: number): HTMLElement {
  const option = document.createElement('a')
  Object.assign(option, { id: `found-${position}`, role: 'option', href: id, tabIndex: -1 })
  const name = document.createElement('b')
  name.textContent = title
  const below = document.createElement('small')
  below.textContent = `${kind} · ${text.length > excerptLetters ? `${text.slice(0, excerptLetters)}…` : text}`
  option.append(name, below)
  return option
}

/** The lines of the list: the results, or one that says why there is none. */
function linesOf(text: string, results: Result[] | null): HTMLElement[] {
  if (results === null) return [note('The search could not be loaded. Type on to try again.')]
  return text !== '' && results.length === 0
    ? [note(`Nothing has “${text}” in it. Try another word.`)]
    : results.map(optionOf)
}

function note(text: string): HTMLElement {
  const line = document.createElement('div')
  Object.assign(line, { id: 'found-0', role: 'option', ariaDisabled: 'true' })
  line.textContent = text
  return line
}
