import { bounds } from '../../../contract/shared/limits.ts'
import type { Asked } from '../../intent/question/read-question.ts'
import type { Language } from '../../intent/question/word-list.ts'
import type { Vocabulary } from '../../intent/reading/vocabulary.ts'
import type { Slots } from '../../intent/slots.ts'
import { moment } from './figures.ts'
import { isSentence, say } from './sentences.ts'
import { type CallTool, Refusal, type TextPieces, type ToolResult } from './tool-calls.ts'

/** What a question says beside the slots. `classes` are those of its words, of which some may mean nothing here. */
export type About = Pick<Asked, 'classes' | 'known' | 'corrected' | 'currency' | 'count' | 'unknown' | 'language'>

/** A question, completed from those before it. `unknown` is a name in it that means nothing here. */
export type QuestionRequest = { slots: Slots; text: string; unknown: string | null; about: About }

/** What an answer is made from: the tools of the caller, and what is connected. */
export type Context = { callTool: CallTool; vocabulary: Vocabulary; now: Date }

/** Answers one kind of question. */
export type Answer = (request: QuestionRequest, context: Context) => TextPieces

/** A wallet of the caller as `trading.listWallets` lists it. */
export type Wallet = { ref: string; address: string }

export function text(answer: ToolResult, field: string): string {
  const value = answer[field]
  return value === undefined || value === null ? 'unknown' : String(value)
}

export function rows(answer: ToolResult, field = 'items'): ToolResult[] {
  const value = answer[field]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
}

/** The most wallets whose balances are read for one answer. */
const mostWallets = bounds.walletsPerAccount

/** The name of the wallet of a question; null where it names none. */
function walletNameIn({ slots, about }: QuestionRequest): string | null {
  return about.unknown[0] ?? slots.wallet ?? (about.classes.includes('default') ? 'default' : null)
}

/** The wallet that the question names, null where it names none. Refuses a name that no wallet has. */
export async function walletOf(request: QuestionRequest, context: Context): Promise<Wallet | null> {
  return walletNameIn(request) === null ? null : ((await walletsOf(request, context))[0] ?? null)
}

/** The caller's wallets, or the one that the question names. Refuses a name that no wallet has. */
export async function walletsOf(request: QuestionRequest, { callTool }: Context): Promise<Wallet[]> {
  const all = rows(await callTool('trading_listWallets', {})).map((wallet) => ({
    ref: text(wallet, 'wallet_ref'),
    address: text(wallet, 'address'),
  }))
  const name = walletNameIn(request)
  if (name === null) return all.slice(0, mostWallets)
  const named = all.filter(({ ref }) => ref.toLowerCase() === name.toLowerCase())
  if (named.length > 0) return named
  const wallets = all.map(({ ref }) => ref).join(', ')
  throw new Refusal(say(request.about.language, 'unknown.wallet', { name: name.slice(0, 64), wallets }), true)
}

/** The time of a question as the tools take it. */
export function periodOf({ slots: { since, until } }: QuestionRequest): { start?: string; end?: string } {
  return { ...(since === null ? {} : { start: since }), ...(until === null ? {} : { end: until }) }
}

/** The time of a question in its language, with a space before it; nothing where it names none. */
export function timeText({ slots: { since, until }, about: { language } }: QuestionRequest, { now }: Context): string {
  if (since === null) return ''
  const key =
    until !== null
      ? isDay(since, until)
        ? 'time.day'
        : 'time.between'
      : isToday(since, now)
        ? 'time.today'
        : 'time.since'
  return say(language, key, { since: momentText(since), until: until === null ? '' : momentText(until) })
}

export const dayMs = 86_400_000

function isDay(since: string, until: string): boolean {
  return Date.parse(until) - Date.parse(since) === dayMs && since.endsWith(midnight)
}

function isToday(since: string, now: Date): boolean {
  return since === `${now.toISOString().slice(0, 10)}${midnight}`
}

const midnight = 'T00:00:00.000Z'

/** A midnight is its day. */
function momentText(at: string): string {
  return at.endsWith(midnight) ? at.slice(0, 10) : moment(at)
}

/** How a trade stands, in the language of the question. */
export function statusText(trade: ToolResult, language: Language): string {
  const key = `state.${text(trade, 'status')}`
  return isSentence(key) ? say(language, key) : text(trade, 'status')
}

/** Says that figures are the sandbox's own, where their source does. */
export function sandboxText(source: string, language: Language): string {
  return source.includes('sandbox') ? ` ${say(language, 'sandbox')}` : ''
}

/** The chain that the question names, as the tools take it. */
export function onChain({ slots: { chain } }: QuestionRequest): { chain_id?: string } {
  return chain === null ? {} : { chain_id: chain }
}
