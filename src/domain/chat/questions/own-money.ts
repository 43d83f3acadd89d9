import { DomainError } from '../../core/errors.ts'
import type { Language } from '../../intent/question/word-list.ts'
import {
  type Answer,
  type Context,
  onChain,
  periodOf,
  type QuestionRequest,
  rows,
  text,
  timeText,
  type Wallet,
  walletOf,
  walletsOf,
} from './context.ts'
import { amount, fixed, moment, sumOf, usd, worthOf } from './figures.ts'
import { say } from './sentences.ts'
import type { TextPieces, ToolResult } from './tool-calls.ts'

/** What one wallet holds of a token. */
type Held = { wallet: string; symbol: string; amount: string; usd: unknown }

type Balances = { wallet: Wallet; answer: ToolResult; held: Held[] }

async function balancesOf(request: QuestionRequest, context: Context): Promise<Balances[]> {
  const [address] = request.slots.addresses
  const wallets = address === undefined ? await walletsOf(request, context) : [{ ref: address, address }]
  return await Promise.all(
    wallets.map(async (wallet) => {
      const answer = await context.callTool('tools_walletBalance', { ...onChain(request), address: wallet.ref })
      return { wallet, answer, held: heldIn(wallet, answer) }
    }),
  )
}

function heldIn({ ref }: Wallet, answer: ToolResult): Held[] {
  const native = { symbol: answer.native_symbol, amount: answer.native_balance, value_usd: answer.native_value_usd }
  return [native, ...rows(answer, 'tokens')].map((one) => ({
    wallet: ref,
    symbol: text(one, 'symbol'),
    amount: text(one, 'amount'),
    usd: one.value_usd ?? null,
  }))
}

/** What the wallets hold: all of it, or of the tokens that the question names, with its worth. */
export const answerBalance: Answer = async function* (request, context) {
  const { language } = request.about
  const all = await balancesOf(request, context)
  const { tokens } = request.slots
  if (tokens.length > 0) {
    for (const token of tokens) yield tokenText(request, token, all)
    return
  }
  for (const { wallet, answer, held } of all) {
    const some = held.filter((one) => fixed(one.amount) > 0n)
    const amounts = some.map((one) => `${amount(one.amount)} ${one.symbol}`).join(', ')
    const name = all.length > 1 ? `${wallet.ref}: ` : ''
    const values = { address: wallet.address, held: amounts || say(language, 'balance.empty') }
    const worth = { usd: usd(answer.total_value_usd), block: text(answer, 'block_number') }
    yield `${name}${say(language, 'balance.wallet', { ...values, ...worth })}\n`
  }
  yield unpricedText(request, all)
}

function tokenText({ about: { language } }: QuestionRequest, token: string, all: readonly Balances[]): string {
  const held = all.flatMap((one) => one.held.filter(({ symbol }) => symbol.toUpperCase() === token.toUpperCase()))
  const parts = held.map((one) => `${one.wallet} ${amount(one.amount)}`).join(', ')
  const values = { token, amount: amount(sumOf(held.map((one) => one.amount))), parts }
  if (held.some((one) => one.usd === null && fixed(one.amount) > 0n))
    return `${say(language, 'balance.token.unpriced', values)}\n`
  return `${say(language, 'balance.token', { ...values, usd: usd(sumOf(held.map((one) => one.usd))) })}\n`
}

function unpricedText({ about: { language } }: QuestionRequest, all: readonly Balances[]): string {
  const unpriced = all.flatMap(({ held }) => held.filter((one) => one.usd === null && fixed(one.amount) > 0n))
  const tokens = [...new Set(unpriced.map(({ symbol }) => symbol))].join(', ')
  return tokens === '' ? '' : say(language, 'balance.unpriced', { tokens })
}

/** What everything in the wallets is worth in dollars, by token. */
export const answerWorth: Answer = async function* (request, context) {
  const { language, classes } = request.about
  const all = await balancesOf(request, context)
  const held = all.flatMap((one) => one.held).filter((one) => fixed(one.usd) > 0n)
  const byWallet = classes.includes('by-wallet')
  const groups = [...Map.groupBy(held, ({ symbol, wallet }) => (byWallet ? wallet : symbol))].map(([name, some]) => {
    const worth = sumOf(some.map((one) => one.usd))
    const counted = byWallet ? '' : `${amount(sumOf(some.map((one) => one.amount)))} `
    return { worth, text: `${counted}${name} ${usd(worth)} USD` }
  })
  const parts = groups.sort((one, other) => (other.worth > one.worth ? 1 : -1)).map((group) => group.text)
  const block = all.map(({ answer }) => text(answer, 'block_number')).at(-1) ?? '?'
  const total = usd(sumOf(all.map(({ answer }) => answer.total_value_usd)))
  yield say(language, 'worth', { usd: total, block, parts: parts.join(', ') || say(language, 'balance.empty') })
  const unpriced = unpricedText(request, all)
  if (unpriced !== '') yield ` ${unpriced}`
}

/** Sales of the caller that one answer reads, in pages. */
const [page, mostPages] = [100, 10]
export const mostSales = page * mostPages

/** The closed trades of the time of the question, newest first, of the tokens that it names. */
export async function closedOf(
  request: QuestionRequest,
  context: Context,
): Promise<{ all: ToolResult[]; more: boolean }> {
  const wallet = await walletOf(request, context)
  const all: ToolResult[] = []
  let cursor: unknown = null
  for (let pages = 0; pages < mostPages; pages += 1) {
    const given = { limit: page, ...periodOf(request), ...(cursor === null ? {} : { cursor }) }
    const answer = await context.callTool('metrics_listClosedTrades', given)
    all.push(...rows(answer))
    cursor = answer.next_cursor ?? null
    if (cursor === null) break
  }
  const { tokens } = request.slots
  const isWanted = (one: ToolResult) =>
    (tokens.length === 0 || tokens.some((token) => isToken(one, token))) &&
    (wallet === null || text(one, 'wallet_address').toLowerCase() === wallet.address.toLowerCase())
  return { all: all.filter(isWanted), more: cursor !== null }
}

/** The profit of the sales of a time, and of what is still held, of each token that the question names. */
export const answerProfit: Answer = async function* (request, context) {
  const closed = await closedOf(request, context)
  const positions = await openPositions(request, context)
  const { tokens } = request.slots
  if (tokens.length === 0) yield* profitOf(request, context, { closed, positions }, null)
  for (const token of tokens) {
    const of = (some: readonly ToolResult[]) => some.filter((one) => isToken(one, token))
    const books = { closed: { ...closed, all: of(closed.all) }, positions: of(positions) }
    yield* profitOf(request, context, books, token)
  }
}

type Books = { closed: { all: readonly ToolResult[]; more: boolean }; positions: readonly ToolResult[] }

function isToken(row: ToolResult, token: string): boolean {
  return text(row, 'token_symbol').toUpperCase() === token.toUpperCase()
}

function* profitOf(
  request: QuestionRequest,
  context: Context,
  { closed: { all, more }, positions }: Books,
  token: string | null,
): TextPieces {
  const { language, classes } = request.about
  const sales = all.filter(({ kind }) => kind === 'trade')
  const profit = sumOf(all.map((one) => one.profit_usd_decimal))
  const values = { profit: usd(profit), loss: usd(-profit), count: sales.length }
  const gas = usd(sumOf(all.map((one) => one.gas_usd_decimal)))
  const [whole, ofToken] =
    profit < 0n ? (['profit.lost', 'profit.lost.token'] as const) : (['profit', 'profit.token'] as const)
  const key = token === null ? whole : ofToken
  yield `${say(language, key, { ...values, gas, token: token ?? '', time: timeText(request, context) })}\n`
  if (more) yield `${say(language, 'profit.many', { count: mostSales })}\n`
  if (classes.includes('by-token') || classes.includes('tokens')) yield* tokenProfits(sales, positions, language)
  if (request.slots.until !== null) return
  const gained = sumOf(positions.map((one) => one.unrealized_pnl_usd_decimal ?? '0'))
  yield `${say(language, gained < 0n ? 'profit.open.loss' : 'profit.open', { usd: usd(gained < 0n ? -gained : gained) })}\n`
}

/** What the caller holds, in the wallet of the question. */
async function openPositions(request: QuestionRequest, context: Context): Promise<ToolResult[]> {
  const wallet = await walletOf(request, context)
  const own = wallet === null ? {} : { wallet_address: wallet.ref }
  return rows(await context.callTool('metrics_positions', own))
}

function* tokenProfits(sales: readonly ToolResult[], positions: readonly ToolResult[], language: Language) {
  for (const token of new Set([...sales, ...positions].map((one) => text(one, 'token_symbol')))) {
    const of = (some: readonly ToolResult[]) => some.filter((one) => one.token_symbol === token)
    const profit = usd(sumOf(of(sales).map((one) => one.profit_usd_decimal)))
    const open = usd(sumOf(of(positions).map((one) => one.unrealized_pnl_usd_decimal ?? '0')))
    yield `${say(language, 'profit.row', { token, profit, count: of(sales).length, open })}\n`
  }
}

/** The gas that the books have for the sales of a time, and for what traded nothing. */
export const answerGasSpent: Answer = async function* (request, context) {
  const { all, more } = await closedOf({ ...request, slots: { ...request.slots, tokens: [] } }, context)
  const spent = usd(sumOf(all.map((one) => one.gas_usd_decimal)))
  yield say(request.about.language, 'gas.spent', {
    usd: spent,
    time: timeText(request, context) || say(request.about.language, 'time.all'),
  })
  if (request.about.classes.includes('fee')) {
    const fee = usd(sumOf(all.map((one) => one.fee_usd_decimal ?? '0')))
    yield ` ${say(request.about.language, 'gas.fees', { usd: fee })}`
  }
  if (more) yield ` ${say(request.about.language, 'profit.many', { count: mostSales })}`
}

export const answerVolume: Answer = async function* (request, context) {
  const { callTool } = context
  const answer = await callTool('metrics_volume', periodOf(request))
  const time = timeText(request, context) || say(request.about.language, 'time.all')
  yield say(request.about.language, 'volume', { usd: usd(answer.total_volume_usd_decimal), time })
}

/** The price of each token by its feed, and the worth of an amount at this price. */
export const answerPrice: Answer = async function* (request, context) {
  const { callTool } = context
  const { slots, about } = request
  for (const token of slots.tokens.slice(0, 5)) {
    const given = { pair: token, ...(slots.chain === null ? {} : { chain: slots.chain }) }
    const answer = await callTool('tools_oraclePrice', given).catch((error: unknown) => {
      if (error instanceof DomainError && error.code === 'NOT_FOUND') return null
      throw error
    })
    if (answer === null) {
      yield `${say(about.language, 'price.none', { token, chain: slots.chain ?? context.vocabulary.defaultChain })}\n`
      continue
    }
    const price = text(answer, 'price')
    if (slots.amount !== null && slots.amount !== '1' && slots.amount_currency !== 'usd' && slots.tokens.length === 1) {
      const worth = usd(worthOf(slots.amount, price))
      yield say(about.language, 'price.worth', { amount: slots.amount, token, usd: worth })
    }
    const stale = answer.stale === true ? say(about.language, 'price.stale') : ''
    const values = {
      token,
      price: usd(price),
      pair: text(answer, 'pair'),
      at: moment(text(answer, 'updated_at')),
      stale,
    }
    yield `${say(about.language, 'price', values)}\n`
  }
}
