import type { Word } from '../reading/words.ts'
import type { Direction } from './read-direction.ts'
import type { Noun } from './sentence.ts'

/** The question that settles what a text leaves open of a swap, with both readings; null where nothing is in doubt. */
export function questionOf({ doubt, named }: Direction, words: readonly Word[]): string | null {
  if (doubt === 'amount') return amountQuestion(words)
  if (doubt !== 'sides') return null
  const [first, second, third] = distinct(named)
  if (first === undefined || second === undefined || third !== undefined)
    return 'Which token do you want to sell, and which one to buy?'
  const counted = [first, second].filter(({ quantity }) => quantity?.value != null)
  if (counted.length !== 1)
    return `Do you want to sell ${first.token.name} for ${second.token.name}, or ${second.token.name} for ${first.token.name}?`
  const [{ quantity, token }] = counted as [Noun]
  const amount = `${quantity?.value} ${token.name}`
  return `Do you want to sell ${amount}, or to buy ${amount}?`
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
