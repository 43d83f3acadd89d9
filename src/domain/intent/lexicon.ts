import { words } from '../../../generated/intent/words.ts'
import { stemOf } from './reading/words.ts'

/**
 * Words of about the same meaning, by that meaning. The classifier learns from the group as well as from the word, so it
 * understands words that no training sentence has.
 */
const groups = Object.entries(words.en).flatMap(([name, phrases]) =>
  name.startsWith('meaning ') ? [[name.slice('meaning '.length), phrases] as const] : [],
)

const byStem = new Map<string, string[]>()
for (const [name, phrases] of groups)
  for (const stem of phrases.split(', ').map(stemOf))
    byStem.set(stem, [...new Set([...(byStem.get(stem) ?? []), name])])

/** The groups of the stem of a word; most words have none. */
export function groupsOf(stem: string): readonly string[] {
  return byStem.get(stem) ?? []
}

/** The stems of all words of the groups. */
export const lexiconStems: ReadonlySet<string> = new Set(byStem.keys())
