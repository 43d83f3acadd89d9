import { groupsOf } from './lexicon.ts'
import { stemOf } from './stems.ts'
import type { Word } from './words.ts'

/** Words that are looked at; what stands behind says no more of what is asked. */
const mostWords = 60

/** Openings of a question that wants an opinion of a deed, not the deed. */
const frames = [
  /\b(?:should|shall|ought) (?:i|we|one)\b/,
  /\b(?:do|does|would|did) (?:it|that|this) (?:really |still |even )?(?:make|pay)\b/,
  /\b(?:is|isn't|would|was) (?:it|now|today|this|that|there)(?: be)?(?: really| still| even)?(?: an?| the| any)?(?: good| right| best| bad| wrong)? (?:worth|worthwhile|wise|wiser|smart|smarter|sensible|better|best|clever|time|moment|point|idea|move|prudent|reasonable|advisable|too late|too early|good|bad|right|wrong)\b/,
  /\b(?:do|would) you (?:think|recommend|suggest|advise|believe|reckon|say)\b/,
  /\bam i (?:better|wise|smart|right|wrong|too)\b/,
  /\b(?:what's|whats|what is|any|your) (?:your |the )?(?:take|view|thoughts|opinion|verdict)\b/,
  /\b(?:makes?|any) sense (?:to|in)\b/,
]
const deeds = new Set(['swap', 'buy', 'sell', 'place'])
const requests = /\b(?:can|could|please|pls|kindly)\b/
const deed =
  'buy|buying|sell|selling|hold|holding|keep|keeping|dump|wait|waiting|swap|stay|exit|add|trim|hodl|accumulate'
const choice = new RegExp(`\\b(?:${deed})\\b(?: [^ ]+){0,3} or (?:[^ ]+ ){0,2}(?:${deed})\\b`)

/** Whether a text asks what to think of a deed (`is it wise to`, `should i`), or to choose between deeds (`buy or wait`). */
export function opinionsIn(words: readonly Word[]): { asksOpinion: boolean; asksChoice: boolean } {
  const read = words.slice(0, mostWords).map(({ lower }) => lower)
  const text = read.join(' ')
  const ofDeed = !requests.test(text) && read.some((word) => groupsOf(stemOf(word)).some((group) => deeds.has(group)))
  return { asksOpinion: ofDeed && frames.some((frame) => frame.test(text)), asksChoice: choice.test(text) }
}
