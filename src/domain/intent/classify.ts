import { weights } from '../../../generated/intent/weights.ts'
import { featuresOf, unknownWord } from './features.ts'
import { lexiconStems } from './lexicon.ts'
import { type Likelihoods, likelihoods, type Weights } from './likelihoods.ts'
import { speller } from './reading/spelling.ts'
import type { ReadText } from './slots.ts'

const table: Weights = new Map(Object.entries(weights))
const known = [...lexiconStems, ...[...table.keys()].filter((name) => /^\p{L}[\p{L}\p{M}\p{N}']*$/u.test(name))]
const correctSpelling = speller(known, unknownWord)

/** The stems of ordinary words: all those of the training sentences and the lexicon. */
export const knownStems: ReadonlySet<string> = new Set(known)

/** Weighs a text by the weights learned from the training sentences. Pure and deterministic. */
export function classify(read: ReadText): Likelihoods {
  return likelihoods(featuresOf(read, correctSpelling), table)
}
