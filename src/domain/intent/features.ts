import { groupsOf } from './lexicon.ts'
import { opinionsIn } from './opinions.ts'
import type { ReadText } from './slots.ts'
import type { Mend } from './spelling.ts'
import { stemOf } from './stems.ts'

/** Words of a text that are looked at; what stands behind says no more of what is asked. */
const mostWords = 80

const kinds = { token: '<token>', chain: '<chain>', protocol: '<protocol>', address: '<address>', transaction: '<tx>' }

/** Stands for every word that is not known. */
export const unknownWord = '<?>'

/** Words for the present: a price of today is none of a time that is looked back on. */
const present = new Set('today tonight'.split(' '))

/** A piece of a text as the classifier sees it: itself, and what it means. */
type Piece = { word: string; groups: readonly string[] }

/**
 * What of a text the classifier weighs: its words, pairs of neighbours, the groups that words belong to, and what the
 * slot readers found. Names and numbers count by their kind alone. `mend` makes known stems of unknown
 * ones.
 */
export function featuresOf(read: ReadText, mend: Mend = (stem) => stem): string[] {
  const pieces = piecesOf(read, mend)
  const features: string[] = ['*']
  let before: Piece = { word: '^', groups: [] }
  let gap: Piece | null = null
  for (const piece of [...pieces, { word: '$', groups: [] }]) {
    if (piece.word !== '$') {
      features.push(piece.word)
      for (const group of piece.groups) features.push(`=${group}`)
    }
    features.push(`${before.word} ${piece.word}`)
    for (const left of meanings(before))
      for (const right of meanings(piece))
        if (left !== before.word || right !== piece.word) features.push(`${left} ${right}`)
    if (gap !== null) features.push(`${gap.word} _ ${piece.word}`)
    gap = before
    before = piece
  }
  return [...new Set([...features, ...shapeOf(read, pieces.length)])]
}

function meanings({ word, groups }: Piece): string[] {
  return groups.length === 0 ? [word] : groups.map((group) => `=${group}`)
}

function piecesOf({ words, mentions }: ReadText, mend: Mend): Piece[] {
  const starts = new Map(mentions.map((mention) => [mention.at, mention]))
  const pieces: Piece[] = []
  for (let at = 0; at < words.length && pieces.length < mostWords; at += 1) {
    const mention = starts.get(at)
    const word = words[at]
    if (mention !== undefined) {
      pieces.push({ word: kinds[mention.kind], groups: [] })
      at = mention.next - 1
    } else if (word?.kind === 'number') pieces.push({ word: '<n>', groups: [] })
    else if (word?.kind === 'word') pieces.push(pieceOf(word.lower, mend))
    else if (word?.lower === '?' || word?.lower === '%' || word?.lower === '=')
      pieces.push({ word: word.lower, groups: [] })
  }
  return pieces
}

function pieceOf(word: string, mend: Mend): Piece {
  const stem = mend(stemOf(word.replace(/'(s|re|m|ll|d|ve)$/, '')))
  return { word: stem, groups: groupsOf(stem) }
}

/** What the slots say of the whole text. */
function shapeOf({ words, slots }: ReadText, length: number): string[] {
  const { asksOpinion, asksChoice } = opinionsIn(words)
  const swaps = slots.amount !== null && slots.token_in !== null && slots.token_out !== null
  const has = (name: string, found: boolean) => (found ? [`#${name}`] : [])
  return [
    `#tokens ${Math.min(2, slots.tokens.length)}`,
    `#length ${length <= 1 ? 1 : length <= 3 ? 3 : length <= 6 ? 6 : length <= 12 ? 12 : 'more'}`,
    ...has('amount', slots.amount !== null),
    ...has('share', slots.share !== null),
    ...has('slippage', slots.slippage_bps !== null),
    ...has('sides', slots.token_in !== null && slots.token_out !== null),
    ...has('address', slots.addresses.length > 0),
    ...has('period', slots.since !== null && !words.some(({ lower }) => present.has(lower))),
    ...has('named', slots.protocols.length + slots.chains.length > 0),
    ...has(
      'nothing',
      slots.tokens.length + slots.protocols.length + slots.chains.length + slots.addresses.length === 0,
    ),
    ...has(
      'question',
      words.some(({ lower }) => lower === '?'),
    ),
    ...has('swap', swaps),
    ...has('opinion', asksOpinion),
    ...has('opinion of a swap', asksOpinion && (swaps || slots.amount !== null || slots.share !== null)),
    ...has('choice', asksChoice),
  ]
}
