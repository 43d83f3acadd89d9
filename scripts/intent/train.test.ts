import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { classify } from '../../src/domain/intent/classify.ts'
import { labels } from '../../src/domain/intent/likelihoods.ts'
import type { ReadText } from '../../src/domain/intent/slots.ts'
import { isLong } from '../../test/sized.ts'
import { intentWeightsFile } from '../generate/intent-weights.ts'
import { measuredSentences, read, trainingSentences } from './sentences.ts'
import { train } from './train.ts'

test.runIf(isLong)('the same sentences make the same weights, byte for byte', () => {
  const few = trainingSentences().filter((_sentence, index) => index % 8 === 0)
  expect([...train(few)]).toEqual([...train(few)])
  const [path, made] = intentWeightsFile()
  expect(readFileSync(join(import.meta.dirname, '../..', path), 'utf8')).toBe(made)
})

test('no training sentence is in a test set', () => {
  const spelled = ({ words }: ReadText) => words.map(({ lower }) => lower).join(' ')
  const learned = new Set(trainingSentences().map((example) => spelled(example.read)))
  const measured = ['development', 'held-out'].flatMap(measuredSentences)
  expect(measured.filter(({ text }) => learned.has(spelled(read(text))))).toEqual([])
})

test('at least 95 of 100 sentences of either test set are classified correctly', () => {
  for (const set of ['development', 'held-out']) {
    const sentences = measuredSentences(set)
    const right = sentences.filter(({ text, label }) => {
      const likely = classify(read(text))
      return labels.every((other) => likely[other] <= likely[label])
    })
    expect(right.length / sentences.length).toBeGreaterThanOrEqual(0.95)
  }
})
