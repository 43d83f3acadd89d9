import { knownStems } from '../../intent/classify.ts'
import { groupsOf } from '../../intent/lexicon.ts'
import { stemOf, type Word, wordsOf } from '../../intent/reading/words.ts'

/** The subject of a sentence follows these words, a number, or the beginning. */
const leads = new Set(
  'is are was were of for about on in into to with buy buying sell swap convert trade hold holding trust check assess audit rate vet scan'.split(
    ' ',
  ),
)
/** Words that can stand between such a word and the subject. */
const between = new Set(['the', 'a', 'an', 'my', 'this', 'that', 'token', 'coin', '$', '"', "'"])
/** An unknown name in the place of the subject, such as `shiba` in `is shiba a scam?`; else null. */
export function unknownSubject(text: string, known: readonly string[]): string | null {
  const words = wordsOf(text)
  const names = new Set(known.flatMap((name) => name.toLowerCase().split(/[_ ]/)))
  const subject = words.find((word, at) => isName(word) && !names.has(word.lower) && isLed(words, at))
  return subject?.text.slice(0, 64) ?? null
}

function isName({ kind, lower }: Word): boolean {
  if (kind !== 'word') return kind === 'hex'
  // Words such as animals are names of tokens where a token is expected.
  if (groupsOf(stemOf(lower)).includes('joke')) return true
  return ![lower, lower.replace(/'\p{L}+$/u, '')].some((form) => knownStems.has(stemOf(form)))
}

function isLed(words: readonly Word[], at: number): boolean {
  let before = at - 1
  while (between.has(words[before]?.lower ?? '')) before -= 1
  const lead = words[before]
  return lead === undefined || lead.kind !== 'word' || leads.has(lead.lower)
}
