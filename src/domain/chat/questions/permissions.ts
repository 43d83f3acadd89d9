import { type Answer, rows, text, walletsOf } from './context.ts'
import { fixed, moment, usd } from './figures.ts'
import { say } from './sentences.ts'
import type { ToolResult } from './tool-calls.ts'

/** The limits of each wallet, and what is left of the daily ones. */
export const answerLimits: Answer = async function* (request, context) {
  const { language } = request.about
  for (const { ref: wallet } of await walletsOf(request, context)) {
    const limits = await context.callTool('trading_getWalletPolicy', { wallet_ref: wallet, with_used: true })
    const { max_trade_usd: trade, max_daily_usd: daily } = limits
    const lists = listsOf(limits)
    if (trade === undefined && daily === undefined && lists === '')
      yield `${say(language, 'limits.none', { wallet })}\n`
    if (lists !== '') yield `${say(language, 'limits.only', { wallet, lists })}\n`
    if (trade !== undefined) yield `${say(language, 'limits.trade', { wallet, usd: usd(trade) })}\n`
    if (daily !== undefined) {
      const used = fixed(limits.used_today_usd)
      const left = fixed(daily) - used
      const values = { wallet, usd: usd(daily), used: usd(used), left: usd(left < 0n ? 0n : left) }
      yield `${say(language, 'limits.day', values)}\n`
    }
  }
  yield say(language, 'limits.more')
}

/** What alone a wallet may trade: how many tokens, which venues and chains. */
function listsOf({ tokens, venues, chains }: ToolResult): string {
  const named = [
    Array.isArray(tokens) ? `tokens: ${tokens.length}` : '',
    Array.isArray(venues) ? `venues: ${venues.join(', ')}` : '',
    Array.isArray(chains) ? `chains: ${chains.join(', ')}` : '',
  ]
  return named.filter((list) => list !== '').join('; ')
}

/** The sessions that may act for the account, with what each may do. */
export const answerSessions: Answer = async function* (request, context) {
  const { language } = request.about
  if (request.about.unknown.length > 0) await walletsOf(request, context)
  const sessions = rows(await context.callTool('auth_listSessions', {}))
  yield `${say(language, 'sessions', { count: sessions.length })}\n`
  for (const session of sessions.slice(0, 20)) {
    const scopes = Array.isArray(session.scopes) ? session.scopes.join(', ') : say(language, 'sessions.owner')
    const used = session.last_used_at === undefined ? say(language, 'sessions.never') : moment(session.last_used_at)
    const values = {
      name: text(session, session.name === '' ? 'session_id' : 'name'),
      rights: scopes,
      usd: usd(String(session.used_today_usd ?? 0)),
      used,
    }
    yield `${say(language, 'sessions.row', values)}\n`
  }
  yield say(language, 'sessions.end')
}
