/** What a message of the caller says about a quote: that it confirms it, or that it wishes the trade in other words. */
export type Confirmation = { confirms: string } | { wishes: string | null }

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** The one sentence that trades: `confirm <quote_id>` or `confirm quote <quote_id>`, in any letter case, and nothing else. */
const sentence = new RegExp(`^confirm (?:quote )?(${uuid})$`, 'i')

const named = new RegExp(`\\b${uuid}\\b`, 'g')

/** A wish is made of these words alone, one of the first two kinds among them. It trades nothing, so that a loose net does no harm. */
const assents = [
  'yes',
  'yeah',
  'yep',
  'yup',
  'ok',
  'okay',
  'sure',
  'agreed',
  'approved',
  'accepted',
  'confirmed',
  'deal',
]
const deeds = [
  ...['do', 'go', 'trade', 'execute', 'swap', 'buy', 'sell', 'make', 'send', 'take', 'proceed', 'submit', 'run'],
  ...['approve', 'accept', 'agree', 'confirm'],
]
const fillers = [
  ...['it', 'that', 'this', 'so', 'the', 'my', 'quote', 'order', 'ahead', 'for', 'with', 'on', 'please', 'then', 'now'],
  ...['just', "let's", 'lets', 'us', 'i', 'fine', 'good', 'great', 'perfect', 'alright', 'thanks', 'and'],
]
const telling: ReadonlySet<string> = new Set([...assents, ...deeds])
const wishing: ReadonlySet<string> = new Set([...telling, ...fillers])

/** Reads a message of the caller; null where it is about something else. */
export function readWord(text: string): Confirmation | null {
  const said = text.trim().toLowerCase()
  const confirmed = sentence.exec(said)?.[1]
  if (confirmed !== undefined) return { confirms: confirmed }
  const quoteId = said.match(named)?.[0] ?? null
  const words = said.replace(quoteId ?? '', '').match(/[^\s,.!?:;"`]+/g) ?? []
  const wishes =
    words.length <= 10 && words.every((word) => wishing.has(word)) && words.some((word) => telling.has(word))
  return wishes ? { wishes: quoteId } : null
}

/** The id that a text names last, or null. */
export function lastNamed(text: string): string | null {
  return text.match(named)?.at(-1) ?? null
}
