import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lock } from '../generate/field-numbers.ts'
import type { Mutation } from './mutation.ts'

const path = 'proto/field-numbers.lock.json'

/** Changes of the numbers that protobuf fields have: two of a message swapped, and one moved to a new number. */
export function numberMutations(root: string): Mutation[] {
  const text = readFileSync(join(root, path), 'utf8')
  const file = JSON.parse(text) as { fields: Lock }
  return Object.entries(file.fields).flatMap(([message, fields]) => {
    const present = Object.entries(fields).filter(([, { removed }]) => removed !== true)
    const [[first, one] = [], [second, other] = []] = present
    if (first === undefined || one === undefined) return []
    const mutation = (kind: string, words: string, changed: Lock[string]): Mutation => ({
      kind,
      file: path,
      words: `${message}: ${words}`,
      start: 0,
      end: text.length,
      to: `${JSON.stringify({ ...file, fields: { ...file.fields, [message]: { ...fields, ...changed } } }, null, 2)}\n`,
    })
    const moved = { [first]: { ...one, number: one.number + 100 } }
    const swaps =
      second === undefined || other === undefined
        ? []
        : [
            mutation('field numbers swapped', `${first} and ${second}`, {
              [first]: { ...one, number: other.number },
              [second]: { ...other, number: one.number },
            }),
          ]
    return [mutation('field number moved', `${first} to ${one.number + 100}`, moved), ...swaps]
  })
}
