import type { Word } from './words.ts'

/** Numbers that stand in a row are followed so far. */
const mostInRow = 64

/** Between two numbers they make a range, a choice or a sum of them. */
const joints = new Set(['to', 'or', 'and', '-', '–', '—', '/', '+', '*', '^', '.', ','])
/** A number that touches one of these is a piece of something longer. */
const sticking = new Set(['.', ',', '/', '_', '+', '-', '−', '–', '*', '^'])

const signs = new Set(['minus', 'negative'])

/** The beginning of an exponent that is none. */
const brokenExponent = /^[e_\d]+$/

/** Whether the digits at a word are all that is written there: not so in `-5`, `minus 5`, `e.5`, `5/e` and `1+2`. */
export function isWhole(words: readonly Word[], at: number): boolean {
  const [before, word, behind] = [words[at - 1], words[at], words[at + 1]]
  if (signs.has(before?.lower ?? '')) return false
  if (word?.glued === true && before !== undefined && (before.kind !== 'mark' || sticking.has(before.lower)))
    return false
  if (behind?.glued === true && brokenExponent.test(behind.lower)) return false
  if (behind?.glued !== true || !sticking.has(behind.lower)) return true
  return isStop(words, at + 1) || (behind.lower === '-' && words[at + 2]?.lower === '>')
}

/** Points and commas that end a part of a sentence. */
function isStop(words: readonly Word[], from: number): boolean {
  let at = from
  while (words[at]?.lower === '.' || words[at]?.lower === ',') at += 1
  return at > from && words[at]?.glued !== true
}

/**
 * The place behind the numbers that follow the number from `start` up to before `end` at once, or over a joint: for
 * `1 to 2 weth` that of `weth`, and for `between 1 eth and 2 eth` that of the last `eth`.
 */
export function numbersEnd(
  words: readonly Word[],
  { start, end }: { start: number; end: number },
  named: ReadonlyMap<string, bigint>,
): number {
  const isNumber = (word: Word | undefined) => word?.kind === 'number' || named.has(word?.lower ?? '')
  const between = words[start - 1]?.lower === 'between' && words[end + 1]?.lower === 'and' && isNumber(words[end + 2])
  let at = between ? end + 3 : end
  for (let steps = 0; steps < mostInRow; steps += 1) {
    if (isNumber(words[at])) at += 1
    else if (joints.has(words[at]?.lower ?? '') && isNumber(words[at + 1])) at += 2
    else break
  }
  return at
}
