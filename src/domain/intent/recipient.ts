import type { Mention } from './reading/mentions.ts'
import type { Vocabulary } from './reading/vocabulary.ts'
import type { Word } from './reading/words.ts'

const sending = new Set('send sending transfer pay wire forward withdraw tip give gift'.split(' '))
/** Words that end the part of a sentence that `to` begins. `at` does not: it says where the recipient is. */
const prepositions = new Set('for from with using by in on via into through'.split(' '))

/** The address of a payment's recipient, which is not a token: `send 1 eth to 0x…`, `tip 0x… 5 usdc`; else null. */
export function recipientOf(
  words: readonly Word[],
  mentions: readonly Mention[],
  { addresses }: Pick<Vocabulary, 'addresses'>,
): string | null {
  const paid = new Map(
    mentions
      .filter(({ kind, name }) => kind === 'address' && !addresses.has(name.toLowerCase()))
      .map(({ at, name }) => [at, name]),
  )
  let sends = false
  let leads = false
  for (const [at, { lower }] of words.entries()) {
    const name = paid.get(at)
    if (name !== undefined && (leads || sending.has(words[at - 1]?.lower ?? ''))) return name
    if (sending.has(lower)) sends = true
    else if (lower === 'to') leads = sends
    else if (prepositions.has(lower)) leads = false
  }
  return null
}
