import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Label, labels } from '../../src/domain/intent/likelihoods.ts'
import type { Vocabulary } from '../../src/domain/intent/reading/vocabulary.ts'
import { type ReadText, readText } from '../../src/domain/intent/slots.ts'
import type { Example } from './train.ts'

const root = join(import.meta.dirname, '../..')

/** The tokens and the chain of the sentences; others count by their kind alone. */
const vocabulary: Vocabulary = {
  symbols: new Set('ETH WETH USDC WBTC RUG BADSELL BADTAX BADMINT BADTHIN BADFEED BADPRICE'.split(' ')),
  addresses: new Set<string>(),
  chains: new Set(['sandbox']),
  defaultChain: 'sandbox',
  nativeSymbol: 'ETH',
  wrappedSymbol: 'WETH',
}

/** Any time of day works, because of a period only its presence counts. */
const now = new Date('2026-03-14T12:00:00Z')

/** Reads a sentence. */
export function read(text: string): ReadText {
  return readText(text, vocabulary, now)
}

/** All training sentences: one a line, in a file for each label. */
export function trainingSentences(): Example[] {
  return labels.flatMap((label) =>
    linesOf(`scripts/intent/sentences/${label}.txt`).map((text) => ({ read: read(text), label })),
  )
}

/** The sentences of a test set: `label | sentence` on each line. */
export function measuredSentences(name: string): { text: string; label: Label }[] {
  return linesOf(`test/intent/${name}.txt`).map((line) => {
    const [label = '', text = ''] = line.split(' | ')
    const known = labels.find((one) => one === label)
    if (known === undefined || text === '')
      throw new Error(`test/intent/${name}.txt: no label and sentence in "${line}"`)
    return { text, label: known }
  })
}

function linesOf(path: string): string[] {
  return readFileSync(join(root, path), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}
