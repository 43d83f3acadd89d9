import { classify } from '../../src/domain/intent/classify.ts'
import { type Label, labels } from '../../src/domain/intent/likelihoods.ts'
import { measuredSentences, read } from './sentences.ts'

/**
 * Prints the accuracy and the confusion matrix of the classifier for each test set, with `--mistakes` every wrong sentence,
 * and what the reader of questions and of trades alone would make of them.
 */
const sets = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const showMistakes = process.argv.includes('--mistakes')

for (const name of sets.length === 0 ? ['development', 'held-out'] : sets) report(name)

function report(name: string): void {
  const sorted = measuredSentences(name).map((sentence) => ({ ...sentence, found: sortedAs(sentence.text) }))
  const wrong = sorted.filter(({ label, found }) => label !== found)
  const intents = sorted.filter(({ label }) => label !== 'other')
  const right = intents.filter(({ label, found }) => label === found).length
  console.log(
    `\n${name}: ${sorted.length - wrong.length} of ${sorted.length} right; of the four intents ${right} of ${intents.length}`,
  )
  console.table(
    Object.fromEntries(
      labels.map((label) => [
        label,
        Object.fromEntries(
          labels.map((found) => [found, sorted.filter((one) => one.label === label && one.found === found).length]),
        ),
      ]),
    ),
  )
  const readRight = sorted.filter(({ text, label }) => readAs(text) === label).length
  console.log(`the reader alone: ${readRight} of ${sorted.length} right`)
  if (showMistakes) for (const { text, label, found } of wrong) console.log(`  ${label} taken for ${found}: ${text}`)
}

function sortedAs(text: string): Label {
  const likely = classify(read(text))
  return labels.reduce((best, label) => (likely[label] > likely[best] ? label : best))
}

/** The intent of a question by its kind, or of a swap by its sides and by whether it asks. */
function readAs(text: string): Label {
  const { asked, direction } = read(text)
  if (direction.sold !== null && direction.bought !== null) return direction.asks ? 'quote' : 'trade'
  if (asked.question === null || asked.question === 'hello' || asked.question === 'thanks') return 'other'
  return asked.question === 'risk' ? 'risk_assessment' : asked.question === 'price' ? 'quote' : 'research'
}
