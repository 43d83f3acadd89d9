import { type CorrectSpelling, speller } from '../reading/spelling.ts'
import { wordsOf } from '../reading/words.ts'

/**
 * What a word or phrase says of the tokens beside it.
 *
 * Verbs: the object of `sell` and `swap` is sold, as that of `pay` (give, spend) and `settle` (pay for a price); the
 * object of `buy` and `get` is bought, and so is that of `need`, except where it is asked how much is needed. What one
 * `own`s is sold. The subject of `cost` is bought, that of `yield` and `be` is sold. `sold` is the participle of a sale,
 * behind its object. The object of `move` is sent away, for nothing.
 *
 * Links stand before a token: `to`, `for`, `against`, `from`, `with`, `in`, `of`, `worth`, and the arrows `right` and `left`.
 *
 * `how` asks for an amount, `what` for anything, `quote` for a price, `not` forbids, `except` takes something off an
 * amount, `unclear` may turn the sides round or tells of something else, `if` begins a condition, `cut` begins a clause,
 * `it` stands for the token of an earlier one, `mine` says whose a token is, and `noise` says nothing of direction.
 */
export type Kind =
  | Verb
  | Link
  | 'how'
  | 'what'
  | 'quote'
  | 'not'
  | 'except'
  | 'unclear'
  | 'if'
  | 'cut'
  | 'it'
  | 'mine'
  | 'noise'
export const verbs = [
  ...(['sell', 'swap', 'sold', 'pay', 'settle', 'buy', 'get'] as const),
  ...(['need', 'own', 'cost', 'yield', 'be', 'move'] as const),
] as const
export type Verb = (typeof verbs)[number]

export const links = ['to', 'for', 'against', 'from', 'with', 'in', 'of', 'worth', 'right', 'left', 'both'] as const
export type Link = (typeof links)[number]

export type Grammar = {
  language: string
  /** True where a verb may stand behind all that it governs. */
  verbFinal: boolean
  kinds: ReadonlyMap<string, Kind>
  /** Numbers in words, and a half; values as `1/2` or in digits. */
  numbers: ReadonlyMap<string, string>
  /** What may stand behind a number or its token, such as `and a half`. */
  tails: ReadonlyMap<string, string>
  /** Shares of what is held, such as `the half of`, as fractions. */
  shares: ReadonlyMap<string, string>
  /** The known word that an unknown one is a misspelling of; empty where there is none. */
  correct: CorrectSpelling
}

/** Every class of a word list that says something of direction. */
const kindNames: ReadonlySet<string> = new Set<Kind>([
  ...verbs,
  ...links,
  ...(['how', 'what', 'quote', 'not', 'except', 'unclear', 'if', 'cut', 'it', 'mine', 'noise'] as const),
])

/** Builds the grammar of a word list. A phrase under two kinds is a mistake of the list, unless one is noise. */
export function grammarOf(language: string, list: Readonly<Record<string, string>>, verbFinal = false): Grammar {
  const kinds = new Map<string, Kind>(marks)
  for (const [kind, phrases] of Object.entries(list)) {
    if (!isKind(kind)) continue
    for (const phrase of phrases.split(', ').map(keyOf)) {
      const known = kinds.get(phrase)
      if (kind === 'noise' && known !== undefined) continue
      if (known !== undefined && known !== kind) throw new Error(`${language}: "${phrase}" is ${known} and ${kind}.`)
      kinds.set(phrase, kind)
    }
  }
  const single = [...kinds.keys()].filter((phrase) => !phrase.includes(' '))
  const correct = speller(single, '')
  return {
    language,
    verbFinal,
    kinds,
    numbers: valuesOf('number', list),
    shares: valuesOf('share', list),
    tails: valuesOf('tail', list),
    correct,
  }
}

function isKind(name: string): name is Kind {
  return kindNames.has(name)
}

/** A phrase as the words of a text spell it: `l'ether` has two, `donne-moi` three. */
function keyOf(phrase: string): string {
  return wordsOf(phrase)
    .map(({ lower }) => lower)
    .join(' ')
}

/** The phrases of the classes `number 1/2`, `number 3`, with their values. */
function valuesOf(name: string, list: Readonly<Record<string, string>>): Map<string, string> {
  const values = Object.entries(list).filter(([kind]) => kind.startsWith(`${name} `))
  return new Map(
    values.flatMap(([kind, phrases]) =>
      phrases.split(', ').map((phrase): [string, string] => [keyOf(phrase), kind.slice(name.length + 1)]),
    ),
  )
}

const allOf = (kind: Kind, list: string) => list.split('  ').map((mark): [string, Kind] => [mark, kind])

/** Marks mean the same in every language. */
const marks: readonly [string, Kind][] = [
  ...allOf('right', '- >  = >  - - >  >  > >  →  ➡  ➜'),
  ...allOf('left', '< -  < =  < - -  ←  ⬅'),
  ...allOf('both', '< - >  < = >  ↔  ⇄'),
  ...allOf('cut', ',  .  ;  :  !  ?'),
  ...allOf('noise', '"  \'  (  )  *  ¿  ¡  …  «  »  „  “  ”  ~  ≈'),
]
