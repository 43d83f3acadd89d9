import { featuresOf, unknownWord } from '../../src/domain/intent/classify.ts'
import { lexiconStems } from '../../src/domain/intent/lexicon.ts'
import { type Label, labels, normOf } from '../../src/domain/intent/likelihoods.ts'
import type { ReadText } from '../../src/domain/intent/slots.ts'

/** A training sentence with its label. */
export type Example = { read: ReadText; label: Label }

export type Learned = Map<string, number[]>

const rounds = 20
const rate = 0.5
const decay = 2e-5
/** Features whose weight is below this for every label are not stored. */
const leastWeight = 15
/** The fewest sentences with a pair of words for the pair to count. */
const leastPairs = 5
/** The share of words that is dropped from a copy of each sentence, so that no intent depends on a single word. */
const dropout = 0.25
const copies = 2

/**
 * Learns a multinomial logistic regression by AdaGrad, in a random order of a fixed seed: the same sentences always make
 * the same weights. Weights are in hundredths.
 */
export function train(examples: readonly Example[]): Learned {
  const random = randomFrom(20_26)
  const rows = rowsOf(examples)
  const kept = keptFeatures(rows)
  const names = [...kept.keys()]
  const count = names.length * labels.length
  const weights = new Float64Array(count)
  const slopes = new Float64Array(count).fill(1e-8)
  const sizes = labels.map((_label, index) => rows.filter((row) => row.label === index).length)
  for (let round = 0; round < rounds; round += 1) {
    for (const row of shuffled(rows, random)) {
      for (let copy = 0; copy < copies; copy += 1) {
        const seen = (copy === 0 ? row.features : row.strange).flatMap((name) => {
          const at = kept.get(name)
          return at === undefined || (copy > 0 && name !== '*' && random() < dropout) ? [] : [at]
        })
        const importance = rows.length / (labels.length * (sizes[row.label] ?? 1))
        step(weights, slopes, seen, row.label, importance)
      }
    }
  }
  const learned: Learned = new Map()
  for (const [index, name] of names.entries()) {
    const row = labels.map((_label, label) => Math.round(100 * (weights[index * labels.length + label] ?? 0)))
    if (Math.max(...row.map(Math.abs)) >= leastWeight) learned.set(name, row)
  }
  return learned
}

function step(
  weights: Float64Array,
  slopes: Float64Array,
  seen: readonly number[],
  label: number,
  importance: number,
): void {
  const size = labels.length
  const value = 1 / normOf(seen.length)
  const scores = labels.map(
    (_label, index) => seen.reduce((sum, at) => sum + (weights[at * size + index] ?? 0), 0) * value,
  )
  const most = Math.max(...scores)
  const parts = scores.map((score) => Math.exp(score - most))
  const total = parts.reduce((sum, part) => sum + part, 0)
  for (let index = 0; index < size; index += 1) {
    const error = ((parts[index] ?? 0) / total - (index === label ? 1 : 0)) * importance
    for (const at of seen) {
      const place = at * size + index
      const slope = error * value + decay * (weights[place] ?? 0)
      slopes[place] = (slopes[place] ?? 0) + slope * slope
      weights[place] = (weights[place] ?? 0) - (rate * slope) / Math.sqrt(slopes[place] ?? 1)
    }
  }
}

/** The features of each sentence, and those that it has when its rare words are unknown. */
function rowsOf(examples: readonly Example[]) {
  const rows = examples.map(({ read, label }) => ({ read, features: featuresOf(read), label: labels.indexOf(label) }))
  const counts = counted(rows.map(({ features }) => features))
  const correct = (stem: string) => (counts.get(stem) === 1 && !lexiconStems.has(stem) ? unknownWord : stem)
  return rows.map(({ read, ...row }) => ({ ...row, strange: featuresOf(read, correct) }))
}

function counted(rows: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const features of rows) for (const name of features) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** Single words, and pairs that are common enough, with their index. */
function keptFeatures(
  rows: readonly { features: readonly string[]; strange: readonly string[] }[],
): Map<string, number> {
  const counts = counted(rows.map(({ features, strange }) => [...new Set([...features, ...strange])]))
  const names = [...counts]
    .filter(([name, count]) => count >= (name.includes(' ') ? leastPairs : 1))
    .map(([name]) => name)
  return new Map(names.sort().map((name, index) => [name, index]))
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const drawn = [...items]
  for (let at = drawn.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    const [left, right] = [drawn[at], drawn[other]]
    if (left === undefined || right === undefined) continue
    drawn[at] = right
    drawn[other] = left
  }
  return drawn
}
