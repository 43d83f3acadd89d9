import { weights } from '../../../generated/intent/weights.ts'
import { groupsOf, lexiconStems } from './lexicon.ts'
import { type Likelihoods, likelihoods, type Weights } from './likelihoods.ts'
import { type CorrectSpelling, speller } from './reading/spelling.ts'
import { stemOf, type Word } from './reading/words.ts'
import type { ReadText } from './slots.ts'

/** Replaces every unknown word. */
export const unknownWord = '<?>'

const table: Weights = new Map(Object.entries(weights))
const known = [...lexiconStems, ...[...table.keys()].filter((name) => /^\p{L}[\p{L}\p{M}\p{N}']*$/u.test(name))]
const correctSpelling = speller(known, unknownWord)

/** Weighs a text by the weights learned from the training sentences. Pure and deterministic. */
export function classify(read: ReadText): Likelihoods {
  return likelihoods(featuresOf(read, correctSpelling), table)
}

/** Words of a text that are read; later ones say no more about its intent. */
const mostWords = 80

const kinds = { token: '<token>', chain: '<chain>', protocol: '<protocol>', address: '<address>', transaction: '<tx>' }

/** Words for the present: they name no period to look back on. */
const present = new Set('today tonight'.split(' '))

/** A piece of a text as the classifier reads it: its stem or kind, and its groups of meaning. */
type Piece = { word: string; groups: readonly string[] }

/**
 * The features of a text that the classifier weighs: its words, pairs of neighbours, the groups that words belong to, and
 * what the slot readers found. Names and numbers count by their kind alone. `correct` replaces unknown stems by known ones.
 */
export function featuresOf(read: ReadText, correct: CorrectSpelling = (stem) => stem): string[] {
  const pieces = piecesOf(read, correct)
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

function piecesOf({ words, mentions }: ReadText, correct: CorrectSpelling): Piece[] {
  const starts = new Map(mentions.map((mention) => [mention.at, mention]))
  const pieces: Piece[] = []
  for (let at = 0; at < words.length && pieces.length < mostWords; at += 1) {
    const mention = starts.get(at)
    const word = words[at]
    if (mention !== undefined) {
      pieces.push({ word: kinds[mention.kind], groups: [] })
      at = mention.next - 1
    } else if (word?.kind === 'number') pieces.push({ word: '<n>', groups: [] })
    else if (word?.kind === 'word') pieces.push(pieceOf(word.lower, correct))
    else if (word?.lower === '?' || word?.lower === '%' || word?.lower === '=')
      pieces.push({ word: word.lower, groups: [] })
  }
  return pieces
}

function pieceOf(word: string, correct: CorrectSpelling): Piece {
  const stem = correct(stemOf(word.replace(/'(s|re|m|ll|d|ve)$/, '')))
  return { word: stem, groups: groupsOf(stem) }
}

/** The features of the slots and of the text as a whole. */
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

/** Words that are read for an opinion. */
const mostOpinionWords = 60

/** Phrases of a question about an action, in contrast to a request for it. */
const frames = [
  /\b(?:should|shall|ought) (?:i|we|one)\b/,
  /\b(?:do|does|would|did) (?:it|that|this) (?:really |still |even )?(?:make|pay)\b/,
  /\b(?:is|isn't|would|was) (?:it|now|today|this|that|there)(?: be)?(?: really| still| even)?(?: an?| the| any)?(?: good| right| best| bad| wrong)? (?:worth|worthwhile|wise|wiser|smart|smarter|sensible|better|best|clever|time|moment|point|idea|move|prudent|reasonable|advisable|too late|too early|good|bad|right|wrong)\b/,
  /\b(?:do|would) you (?:think|recommend|suggest|advise|believe|reckon|say)\b/,
  /\bam i (?:better|wise|smart|right|wrong|too)\b/,
  /\b(?:what's|whats|what is|any|your) (?:your |the )?(?:take|view|thoughts|opinion|verdict)\b/,
  /\b(?:makes?|any) sense (?:to|in)\b/,
]
const actionGroups = new Set(['swap', 'buy', 'sell', 'place'])
const requests = /\b(?:can|could|please|pls|kindly)\b/
const actions =
  'buy|buying|sell|selling|hold|holding|keep|keeping|dump|wait|waiting|swap|stay|exit|add|trim|hodl|accumulate'
const choice = new RegExp(`\\b(?:${actions})\\b(?: [^ ]+){0,3} or (?:[^ ]+ ){0,2}(?:${actions})\\b`)

/** True where a text asks for an opinion of an action (`is it wise to`, `should i`), or a choice of actions (`buy or wait`). */
function opinionsIn(words: readonly Word[]): { asksOpinion: boolean; asksChoice: boolean } {
  const read = words.slice(0, mostOpinionWords).map(({ lower }) => lower)
  const text = read.join(' ')
  const isAboutAction =
    !requests.test(text) && read.some((word) => groupsOf(stemOf(word)).some((group) => actionGroups.has(group)))
  return { asksOpinion: isAboutAction && frames.some((frame) => frame.test(text)), asksChoice: choice.test(text) }
}
