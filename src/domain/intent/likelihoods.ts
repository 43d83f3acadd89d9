/** The labels of a text: the four intents, and `other`, such as a greeting. */
export const labels = ['research', 'trade', 'risk_assessment', 'quote', 'other'] as const
export type Label = (typeof labels)[number]

/** How likely each label is; they sum to 1. */
export type Likelihoods = Readonly<Record<Label, number>>

/** The weight of each feature for each label, in the order of the labels, in hundredths. */
export type Weights = ReadonlyMap<string, readonly number[]>

/** The norm of a text's features: a longer text is not more certain by its number of features alone. */
export function normOf(features: number): number {
  return Math.sqrt(Math.max(1, features))
}

/** The softmax over the weights of the known features. */
export function likelihoods(features: readonly string[], weights: Weights): Likelihoods {
  const known = features.flatMap((name) => [weights.get(name) ?? []]).filter((row) => row.length > 0)
  const norm = 100 * normOf(known.length)
  const scores = labels.map((_label, index) => known.reduce((sum, row) => sum + (row[index] ?? 0), 0) / norm)
  const most = Math.max(...scores)
  const parts = scores.map((score) => Math.exp(score - most))
  const total = parts.reduce((sum, part) => sum + part, 0)
  return Object.fromEntries(labels.map((label, index) => [label, (parts[index] ?? 0) / total])) as Likelihoods
}
