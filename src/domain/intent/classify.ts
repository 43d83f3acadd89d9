import { weights } from '../../../generated/intent/weights.ts'
import { featuresOf } from './features.ts'
import { lexiconWords } from './lexicon.ts'
import { type Likelihoods, likelihoods, type Weights } from './likelihoods.ts'
import type { ReadText } from './slots.ts'
import { speller } from './spelling.ts'

const table: Weights = new Map(Object.entries(weights))
const mend = speller([...lexiconWords, ...[...table.keys()].filter((name) => /^\p{L}+$/u.test(name))])

/** Weighs a text by what was learned from the training sentences. Pure and deterministic. */
export function classify(read: ReadText): Likelihoods {
  return likelihoods(featuresOf(read, mend), table)
}
