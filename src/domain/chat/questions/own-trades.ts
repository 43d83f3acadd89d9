import type { Language } from '../../intent/question/word-list.ts'
import {
  type Answer,
  type Context,
  periodOf,
  type QuestionRequest,
  rows,
  statusText,
  text,
  timeText,
  walletOf,
} from './context.ts'
import { amount, fixed, moment, price, usd } from './figures.ts'
import { closedOf, mostSales } from './own-money.ts'
import { type Sentence, say } from './sentences.ts'
import type { ToolResult } from './tool-calls.ts'

/** What the sentences about a sale name of it. */
function saleValues(sale: ToolResult) {
  const profit = fixed(sale.profit_usd_decimal)
  return {
    token: text(sale, 'token_symbol'),
    quantity: amount(sale.quantity_decimal),
    at: moment(sale.closed_at),
    entry: price(sale.entry_price_usd_decimal),
    exit: price(sale.exit_price_usd_decimal),
    profit: usd(profit),
    loss: usd(-profit),
    id: text(sale, 'execution_id'),
  }
}

function byProfit(sales: readonly ToolResult[]): ToolResult[] {
  const profitOf = (sale: ToolResult) => fixed(sale.profit_usd_decimal)
  return sales.toSorted((one, other) => (profitOf(one) < profitOf(other) ? -1 : 1))
}

function noneText({ slots: { tokens }, about: { language } }: QuestionRequest, time: string): string {
  const [token] = tokens
  return token === undefined
    ? say(language, 'trade.none', { time })
    : say(language, 'trade.none.token', { token, time })
}

/** The sale with the highest or the lowest profit of a time. */
function extreme(end: 'best' | 'worst'): Answer {
  return async function* (request, context) {
    const { language } = request.about
    const { all, more } = await closedOf(request, context)
    const sales = byProfit(all.filter(({ kind }) => kind === 'trade'))
    const sale = end === 'best' ? sales.at(-1) : sales[0]
    const time = timeText(request, context)
    if (sale === undefined) {
      yield noneText(request, time)
      return
    }
    const gained = fixed(sale.profit_usd_decimal) >= 0n
    const key: Sentence =
      end === 'best' ? (gained ? 'trade.best' : 'trade.best.loss') : gained ? 'trade.worst.gain' : 'trade.worst'
    yield say(language, key, { ...saleValues(sale), time })
    if (more) yield ` ${say(language, 'profit.many', { count: mostSales })}`
  }
}

export const answerBestTrade = extreme('best')
export const answerWorstTrade = extreme('worst')

/** What the last sale, or the worst one, lost by its price, the pool's fee and gas, each in dollars, from the closed trade. */
export const answerWhyLost: Answer = async function* (request, context) {
  const { language, classes } = request.about
  const sales = (await closedOf(request, context)).all.filter(({ kind }) => kind === 'trade')
  const sale = classes.includes('worst') || classes.includes('large') ? byProfit(sales)[0] : sales[0]
  if (sale === undefined) {
    yield noneText(request, timeText(request, context))
    return
  }
  const values = saleValues(sale)
  const [profit, gas, fee] = [sale.profit_usd_decimal, sale.gas_usd_decimal, sale.fee_usd_decimal ?? '0'].map(
    fixed,
  ) as [bigint, bigint, bigint]
  // Where the output is valued, what the sale brought is after the fee of the pool.
  const inExit = sale.valued_by === 'token_out' ? fee : 0n
  const parts = [
    say(language, 'why.price', { ...values, usd: usd(profit + gas + inExit) }),
    ...(inExit === 0n ? [] : [say(language, 'why.fee', { usd: usd(-fee) })]),
    say(language, 'why.gas', { usd: usd(-gas) }),
    ...(fee === inExit ? [] : [say(language, 'why.fee.later', { usd: usd(fee) })]),
  ]
  yield say(language, profit < 0n ? 'why' : 'why.gain', { ...values, parts: parts.join(' ') })
}

/** Trades that a list shows where the question names no number, and the most that it shows. */
const [usualTrades, mostTrades] = [5, 50]

function rowText({ about }: QuestionRequest, trade: ToolResult): string {
  return `${say(about.language, 'trade.row', tradeValues(trade, about.language))}\n`
}

/** What the sentences about a trade name of it. */
function tradeValues(trade: ToolResult, language: Language) {
  const message = messageOf(text(trade, 'message'), language)
  return { id: text(trade, 'execution_id'), at: moment(trade.created_at), status: statusText(trade, language), message }
}

/** The message of a trade with rounded amounts; of one that was made in the language of the question. */
function messageOf(message: string, language: Language): string {
  const rounded = message.replaceAll(/\d+\.\d+/g, (figure) => amount(figure))
  const [, sold, got] = /^Swapped (\S+ \S+) for (\S+ \S+)\.$/.exec(rounded) ?? []
  return sold === undefined || got === undefined ? rounded : say(language, 'trade.swapped', { sold, got })
}

/** Pages of trades that are read for those of one wallet. */
const mostPages = 10

/** The trades that match, of the wallet that the question names, at most `limit`. */
async function tradesOf(request: QuestionRequest, context: Context, filter: ToolResult & { limit: number }) {
  const wallet = await walletOf(request, context)
  const trades: ToolResult[] = []
  let cursor: unknown = null
  for (let pages = 0; pages < mostPages && trades.length < filter.limit; pages += 1) {
    const limit = wallet === null ? filter.limit : mostTrades
    const given = { ...filter, limit, ...(cursor === null ? {} : { cursor }) }
    const answer = await context.callTool('trading_listExecutions', given)
    trades.push(...rows(answer).filter((trade) => wallet === null || trade.wallet_ref === wallet.ref))
    cursor = answer.next_cursor ?? null
    if (cursor === null) break
  }
  return { trades: trades.slice(0, filter.limit), more: cursor !== null || trades.length > filter.limit }
}

/** Says that there is no trade: none at all, or none that the question means. */
function noTradeText({ slots, about }: QuestionRequest, time: string): string {
  const isNarrow =
    slots.tokens.length > 0 || about.unknown.length > 0 || about.classes.some((name) => narrowing.has(name))
  return say(about.language, isNarrow ? 'trades.none.match' : time === '' ? 'trades.none' : 'trades.none.time', {
    time,
  })
}

const narrowing: ReadonlySet<string> = new Set(['default', 'failed', 'execution'])

/** The newest trades, or those of a time or a token. */
export const answerTrades: Answer = async function* (request, context) {
  const { slots, about } = request
  const isCounted = about.classes.some((name) => name === 'count' || name === 'trade-count')
  const limit = Math.min(mostTrades, about.count ?? (slots.since === null && !isCounted ? usualTrades : mostTrades))
  const [token] = slots.tokens
  const failed = about.classes.includes('failed') ? { status: 'failed' } : {}
  const filter = { limit, ...periodOf(request), ...failed, ...(token === undefined ? {} : { token }) }
  const { trades, more } = await tradesOf(request, context, filter)
  const time = timeText(request, context)
  if (trades.length === 0) {
    yield noTradeText(request, time)
    return
  }
  const key = trades.length === 1 && !more ? 'trades.one' : more ? 'trades.newest' : 'trades.count'
  if (time !== '' || isCounted) yield `${say(about.language, key, { count: trades.length, time })}\n`
  for (const trade of trades.slice(0, about.count ?? (isCounted ? usualTrades : limit))) yield rowText(request, trade)
}

/** How a trade went: that of a hash or an id, or the newest one, of the tokens that the question names. */
export const answerTradeStatus: Answer = async function* (request, context) {
  const { callTool } = context
  const { slots, about, text: asked } = request
  const [hash] = slots.transactions
  const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(asked)?.[0]
  const [token] = slots.tokens
  const filter = hash !== undefined ? { tx_hash: hash } : token === undefined ? {} : { token }
  const found =
    id === undefined
      ? (await tradesOf(request, context, { limit: 1, ...periodOf(request), ...filter })).trades
      : [await callTool('trading_getExecution', { execution_id: id })]
  const [trade] = found
  if (trade !== undefined) {
    yield say(about.language, 'status.row', tradeValues(trade, about.language))
    return
  }
  yield hash === undefined
    ? noTradeText(request, timeText(request, context))
    : say(about.language, 'status.none', { hash })
}

/** The trades that are not finished. */
export const answerWaiting: Answer = async function* (request, context) {
  const { language } = request.about
  const { trades: open } = await tradesOf(request, context, { status: 'pending', limit: mostTrades })
  if (open.length === 0) {
    yield say(language, 'waiting.none')
    return
  }
  yield `${say(language, 'waiting.some', { count: open.length })}\n`
  for (const trade of open) yield rowText(request, trade)
}

/** What can still be cancelled, and what has become of the last trade. */
export const answerCancel: Answer = async function* (request, context) {
  const { language } = request.about
  const [waiting, last] = await Promise.all([
    tradesOf(request, context, { state: 'awaiting_confirmation', limit: mostTrades }),
    tradesOf(request, context, { limit: 1 }),
  ])
  const { trades } = waiting
  if (trades.length > 0) {
    yield `${say(language, 'cancel.some')}\n`
    for (const trade of trades) yield rowText(request, trade)
    yield say(language, 'cancel')
    return
  }
  yield say(language, 'cancel.none')
  const [newest] = last.trades
  if (newest !== undefined)
    yield ` ${say(language, 'cancel.last', { id: text(newest, 'execution_id'), status: statusText(newest, language) })}`
  yield ` ${say(language, 'cancel')}`
}
