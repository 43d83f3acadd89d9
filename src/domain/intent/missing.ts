import { groupsOf } from './lexicon.ts'
import type { Label } from './likelihoods.ts'
import { stemOf } from './reading/words.ts'
import type { ReadText, Slots } from './slots.ts'

/** Kinds of actions by the slots that they need; any other action is a swap. */
type Act = 'swap' | 'send' | 'bridge' | 'stake'

const acts = new Map<string, Act>([
  ...'swap exchange convert trade sell buy switch'.split(' ').map((verb) => [stemOf(verb), 'swap'] as const),
  ...'send transfer tip gift forward wire'.split(' ').map((verb) => [stemOf(verb), 'send'] as const),
  [stemOf('bridge'), 'bridge'],
  ...'stake unstake restake deposit withdraw lend supply borrow repay'
    .split(' ')
    .map((verb) => [stemOf(verb), 'stake'] as const),
])
/** Words that request a swap of an amount of one token. Without them the text asks for its worth. */
const ofSwap = new Set(['swap', 'sell', 'quote', 'outcome', 'get'])

/** The slots that an intent still needs, the most urgent first. */
export function missingFor(intent: Exclude<Label, 'other'>, read: ReadText): string[] {
  const { slots } = read
  if (intent === 'research') return []
  if (intent === 'risk_assessment') return namesSubject(slots) ? [] : ['token']
  if (intent === 'quote' && asksPrice(read)) return []
  const paid = { amount: slots.amount ?? slots.share, token_in: slots.token_in }
  const further = {
    swap: { token_out: slots.token_out },
    send: { recipient: slots.recipient },
    bridge: { chain: slots.chain },
    stake: {},
  }[actOf(read)]
  return Object.entries({ ...paid, ...further })
    .filter(([, value]) => value === null)
    .map(([name]) => name)
}

function namesSubject({ tokens, protocols, chains, addresses, wallet }: Slots): boolean {
  return wallet !== null || [tokens, protocols, chains, addresses].some((names) => names.length > 0)
}

/** True of `weth price` and `what is 2 weth worth`: one token, and no swap. */
function asksPrice({ words, slots }: ReadText): boolean {
  const counted = slots.amount !== null || slots.share !== null
  const swaps = words.some(({ lower }) => groupsOf(stemOf(lower)).some((group) => ofSwap.has(group)))
  return slots.tokens.length === 1 && !(counted && swaps)
}

/** The first action that the text names; with a recipient it is to send. */
function actOf({ words, slots }: ReadText): Act {
  if (slots.token_out !== null) return 'swap'
  if (slots.recipient !== null) return 'send'
  return words.map(({ lower }) => acts.get(stemOf(lower))).find((act) => act !== undefined) ?? 'swap'
}
