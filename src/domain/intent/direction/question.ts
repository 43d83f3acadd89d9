import type { Word } from '../reading/words.ts'
import type { Quantity } from './quantity.ts'
import type { Direction } from './read-direction.ts'
import type { Noun } from './sentence.ts'

/** Two tokens whose sides are open; the quantity counts the first of them, where there is one. */
export type OpenSwap = { tokens: readonly [string, string]; quantity: Quantity | null }

/** What a text leaves open of a swap: the question that settles it, with both readings, and what an answer completes. */
export type Doubt = { question: string; open: OpenSwap | null }

/** The doubt of a text; null where nothing is open. */
export function doubtOf({ doubt, named }: Direction, words: readonly Word[]): Doubt | null {
  if (doubt === 'amount') return { question: amountQuestion(words), open: null }
  if (doubt !== 'sides') return null
  const [first, second, third] = distinct(named)
  if (first === undefined || second === undefined || third !== undefined)
    return { question: 'Which token do you want to sell, and which one to buy?', open: null }
  const counted = [first, second].filter(({ quantity }) => quantity !== null)
  if (counted.length > 1) return { question: amountQuestion(words), open: null }
  const [one, other] = counted[0] === second ? [second, first] : [first, second]
  const tokens = [one.token.name, other.token.name] as const
  const { quantity } = one
  const amount = quantity?.value == null ? null : `${quantity.value} ${tokens[0]}`
  const question =
    amount === null
      ? `Do you want to sell ${tokens[0]} for ${tokens[1]}, or ${tokens[1]} for ${tokens[0]}?`
      : `Do you want to sell ${amount}, or to buy ${amount}?`
  return { question, open: { tokens, quantity } }
}

/** `1.500` is one and a half or fifteen hundred. */
function amountQuestion(words: readonly Word[]): string {
  const digits = words.map(({ text }) => /^([1-9]\d{0,2})[.,](\d{3})$/.exec(text)).find((match) => match !== null)
  if (digits === undefined)
    return 'How much? Name one amount and the token that it counts, for example "sell 1 WETH for USDC".'
  const [, whole = '', rest = ''] = digits
  return `Do you mean ${whole}.${rest} or ${whole}${rest}? Write it without a separator of thousands.`
}

function distinct(nouns: readonly Noun[]): Noun[] {
  return nouns.filter(({ token }, at) => nouns.findIndex((other) => other.token.name === token.name) === at)
}
