import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The lines of a set of questions. */
export function linesOf(name: 'development' | 'wordings' | 'others'): string[] {
  const text = readFileSync(join(import.meta.dirname, `${name}.txt`), 'utf8')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}
