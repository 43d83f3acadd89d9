/** What a message says about a quote: it confirms the quote, or it wants the trade in other words; null names no quote. */
type Confirmation = { confirms: string } | { wishes: string | null }

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** The only sentence that trades: `confirm <quote_id>` or `confirm quote <quote_id>`, in any letter case, and nothing else. */
const sentence = new RegExp(`^confirm (?:quote )?(${uuid})$`, 'i')

const quoteIds = new RegExp(`\\b${uuid}\\b`, 'g')

/** A wish consists of these words alone, with at least one assent or action. It trades nothing, so a wrong match does no harm. */
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
const actions = [
  ...['do', 'go', 'trade', 'execute', 'swap', 'buy', 'sell', 'make', 'send', 'take', 'proceed', 'submit', 'run'],
  ...['approve', 'accept', 'agree', 'confirm'],
]
const fillers = [
  ...['it', 'that', 'this', 'so', 'the', 'my', 'quote', 'order', 'ahead', 'for', 'with', 'on', 'please', 'then', 'now'],
  ...['just', "let's", 'lets', 'us', 'i', 'fine', 'good', 'great', 'perfect', 'alright', 'thanks', 'and'],
]
const decisive: ReadonlySet<string> = new Set([...assents, ...actions])
const wishWords: ReadonlySet<string> = new Set([...decisive, ...fillers])

/** Reads a message of the caller; null where it is about something else. */
export function readConfirmation(text: string): Confirmation | null {
  const message = text.trim().toLowerCase()
  const confirmed = sentence.exec(message)?.[1]
  if (confirmed !== undefined) return { confirms: confirmed }
  const quoteId = message.match(quoteIds)?.[0] ?? null
  const words = message.replace(quoteId ?? '', '').match(/[^\s,.!?:;"`]+/g) ?? []
  const wishes =
    words.length <= 10 && words.every((word) => wishWords.has(word)) && words.some((word) => decisive.has(word))
  return wishes ? { wishes: quoteId } : null
}
