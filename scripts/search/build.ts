import MiniSearch from 'minisearch'
import { indexOptions } from '../../src/console/documents/ranking.ts'
import { allFound } from './found.ts'

/** The index of a search over guides, operations, methods, settings, errors and tools, as the browser loads it. */
export function searchIndex(root: URL): string {
  const index = new MiniSearch(indexOptions)
  index.addAll(allFound(root))
  return JSON.stringify(index)
}
