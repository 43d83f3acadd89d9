import type MiniSearch from 'minisearch'
import type { SearchResult } from 'minisearch'

/** What the build and the page have to agree on: the fields that are searched, and those that a result shows. */
export const indexOptions = {
  fields: ['title', 'words', 'text'],
  storeFields: ['kind', 'title', 'text'],
}

/** A guide explains; a setting is mostly looked up by its whole name. */
const weights: Record<string, number> = { guide: 1.5, setting: 0.5 }

const options = {
  prefix: true,
  fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
  boost: { words: 8, title: 4 },
  boostDocument: (_id: unknown, _term: string, stored?: Record<string, unknown>) => weights[String(stored?.kind)] ?? 1,
}

/** What has all words of a text, or where nothing has them all, what has any; the best first. */
export function bestFirst(index: MiniSearch, text: string): SearchResult[] {
  const whole = index.search(text, { ...options, combineWith: 'AND' })
  return whole.length > 0 ? whole : index.search(text, options)
}
