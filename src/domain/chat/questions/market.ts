import { bounds } from '../../../contract/shared/limits.ts'
import { DomainError } from '../../core/errors.ts'
import { terms } from '../../intent/question/rules.ts'
import type { Language } from '../../intent/question/word-list.ts'
import { researchCalls } from '../../intent/research-calls.ts'
import { usualSlippageBps } from '../../previews/requested-swap.ts'
import { formatUnits } from '../../values/money.ts'
import { type Answer, type Context, dayMs, type QuestionRequest, rows, sandboxText, text } from './context.ts'
import { amount, fixed, moment, percent, usd, worthOf } from './figures.ts'
import { isSentence, say } from './sentences.ts'
import { Refusal, type ToolResult } from './tool-calls.ts'

const gweiDigits = 9
const etherDigits = 18
/** The gas of a swap over one pool, for the sake of an example. */
const swapGas = 150_000n

type Inner = { result: ToolResult; source: string }

async function ask({ callTool }: Context, operation: string, tool_name: string, given: object): Promise<Inner> {
  const answer = await callTool(operation, { tool_name, arguments: given })
  return { result: (answer.result ?? {}) as ToolResult, source: text(answer, 'source') }
}

export const answerTokens: Answer = async function* ({ about }, { callTool }) {
  for (const chain of rows(await callTool('trading_listChains', {}))) {
    const isTest = ({ test }: ToolResult) => test === true
    const symbols = (some: readonly ToolResult[]) => some.map((token) => text(token, 'symbol'))
    const all = rows(chain, 'tokens')
    const tokens = [text(chain, 'native_symbol'), ...symbols(all.filter((token) => !isTest(token)))].join(', ')
    yield `${say(about.language, 'tokens', { chain: text(chain, 'name'), tokens })}\n`
    const tests = symbols(all.filter(isTest)).join(', ')
    if (tests !== '') yield `${say(about.language, 'tokens.test', { tokens: tests })}\n`
  }
}

/** The pools of a chain that trade the tokens of the question, the largest first. */
async function poolsOf({ slots }: QuestionRequest, context: Context) {
  const chain = slots.chain ?? context.vocabulary.defaultChain
  const { result, source } = await ask(context, 'tools_invokeTvl', 'pools_list', { chain, limit: 100 })
  const { nativeSymbol, wrappedSymbol } = context.vocabulary
  // Pools trade the wrapped token in place of the native currency.
  const wanted = slots.tokens.map((token) => (token === nativeSymbol ? wrappedSymbol : token.toUpperCase()))
  const pools = rows(result, 'pools').filter((pool) => {
    const symbols = text(pool, 'symbol')
      .toUpperCase()
      .split(/[^A-Z0-9.]+/)
    return wanted.every((token) => symbols.includes(token))
  })
  return { chain, source, pools, tokens: slots.tokens.join('/') }
}

/** Pools that a list shows. */
const mostPools = 10

export const answerPools: Answer = async function* (request, context) {
  const { language } = request.about
  const { chain, pools, tokens } = await poolsOf(request, context)
  if (pools.length === 0) {
    yield say(language, 'pools.none', { tokens: tokens || '*', chain })
    return
  }
  yield `${say(language, 'pools', { count: Math.min(mostPools, pools.length), chain })}\n`
  for (const pool of pools.slice(0, mostPools)) yield `${say(language, 'pools.row', poolValues(pool))}\n`
}

function poolValues(pool: ToolResult) {
  return { pool: text(pool, 'symbol'), project: text(pool, 'project'), usd: usd(String(pool.tvl_usd ?? 0)) }
}

export const answerDeepestPool: Answer = async function* (request, context) {
  const { chain, pools, tokens, source } = await poolsOf(request, context)
  const [deepest] = pools
  const { language } = request.about
  if (deepest === undefined) yield say(language, 'pools.none', { tokens: tokens || '*', chain })
  else
    yield say(language, 'pool.deepest', {
      tokens: tokens || text(deepest, 'symbol'),
      chain,
      source,
      ...poolValues(deepest),
    })
}

/** Candles of a time: short ones for a short time, so that at most five hundred cover it. */
const candles = [
  [0.3, '1m'],
  [5, '15m'],
  [20, '1h'],
  [480, '1d'],
] as const

/** How the price of each token changed since a moment, the last day where the question names none. */
export const answerChange: Answer = async function* (request, context) {
  const { slots, about } = request
  const since = slots.since ?? new Date(context.now.getTime() - dayMs).toISOString()
  const span = { since, until: slots.until }
  for (const token of slots.tokens) yield `${await changeText(token, span, about.language, context)}\n`
}

/** A span of time; `until` is null where it lasts to the present. */
type Span = { since: string; until: string | null }

async function changeText(token: string, { since, until }: Span, language: Language, context: Context) {
  const base = token.replace(/^W(?=ETH$|BTC$)/, '')
  const { result } = await ask(context, 'tools_invokeExchange', 'markets_list', { base, limit: 100 })
  const symbols = rows(result, 'markets').map((market) => text(market, 'symbol'))
  const market = symbols.find((symbol) => /USD[CT]?$/.test(symbol))
  if (market === undefined) return say(language, 'change.none', { token })
  const days = (context.now.getTime() - Date.parse(since)) / dayMs
  const interval = candles.find(([most]) => days <= most)?.[1] ?? '1w'
  const given = { symbol: market, interval, from: since, limit: 500 }
  const all = rows((await ask(context, 'tools_invokeExchange', 'klines_list', given)).result, 'klines')
  const klines = all.filter(({ opened_at: at }) => until === null || String(at) < until)
  const newest = await ask(context, 'tools_invokeExchange', 'price_get', { symbol: market })
  const price = until === null ? newest.result.price : klines.at(-1)?.close
  const before = klines[0]?.open
  const span = { since: moment(klines[0]?.opened_at ?? since), until: until === null ? '' : moment(until) }
  const values = { token, market, ...span, now: usd(price ?? newest.result.price) }
  if (before === undefined || price === undefined) return say(language, 'change.flat', values)
  const change = percent(fixed(price) - fixed(before), fixed(before))
  const changed = say(language, until === null ? 'change' : 'change.span', {
    ...values,
    before: usd(before),
    percent: change,
  })
  return `${changed}${sandboxText(newest.source, language)}`
}

export const answerGasPrice: Answer = async function* ({ about }, { callTool, vocabulary }) {
  const answer = await callTool('chain_gasPrice', {})
  const wei = BigInt(text(answer, 'value'))
  const native = formatUnits(wei * swapGas, etherDigits)
  const { price } = await callTool('tools_oraclePrice', { pair: vocabulary.nativeSymbol })
  const worth = usd(worthOf(native, price))
  const values = {
    chain: vocabulary.defaultChain,
    gwei: amount(formatUnits(wei, gweiDigits), 4),
    native: amount(native, 4),
    symbol: vocabulary.nativeSymbol,
    usd: worth,
  }
  yield say(about.language, 'gas.price', values)
}

export const answerBitcoinHeight: Answer = async function* ({ about }, context) {
  const { result, source } = await ask(context, 'tools_invokeBitcoin', 'tip_get', {})
  yield say(about.language, 'bitcoin.height', { height: text(result, 'height'), source })
  yield sandboxText(source, about.language)
}

/** Waits in blocks whose fees are shown. */
const waits = new Set([1, 3, 6, 144])

export const answerBitcoinFees: Answer = async function* ({ about }, context) {
  const { result, source } = await ask(context, 'tools_invokeBitcoin', 'fees_get', {})
  const fees = rows(result, 'fee_estimates').filter(({ blocks }) => waits.has(Number(blocks)))
  const rates = fees.map(({ blocks, sat_per_vbyte: rate }) =>
    say(about.language, 'bitcoin.fee', { rate: usd(String(rate)), blocks: String(blocks) }),
  )
  yield say(about.language, 'bitcoin.fees', { fees: rates.join(', '), source })
  yield sandboxText(source, about.language)
}

/** Rows of a list of the largest. */
const mostLargest = 5

export const answerLargest: Answer = async function* (request, context) {
  const { language, classes } = request.about
  const isChains = classes.includes('chains') && !classes.includes('protocols')
  const { chain } = request.slots
  const { result, source } = isChains
    ? await ask(context, 'tools_invokeTvl', 'chains_list', { limit: mostLargest })
    : await ask(context, 'tools_invokeTvl', 'protocols_list', {
        limit: mostLargest,
        ...(chain === null ? {} : { chain }),
      })
  const found = rows(result, isChains ? 'chains' : 'protocols').map(
    (row) => `${text(row, isChains ? 'chain' : 'name')} ${usd(String(row.tvl_usd ?? 0))} USD`,
  )
  // How much is locked on the chain, and which protocol is the largest, are two questions.
  if (!isChains && classes.includes('tvl') && (chain !== null || classes.includes('chains')))
    yield* answerResearch(request, context)
  if (found.length === 0) yield say(language, 'largest.none', { chain: chain ?? context.vocabulary.defaultChain })
  else yield say(language, isChains ? 'largest.chains' : 'largest.protocols', { rows: found.join(', '), source })
  yield sandboxText(source, language)
}

export const answerFaucet: Answer = async function* ({ about }, { callTool }) {
  const { sandbox } = await callTool('system_info', {})
  yield say(about.language, sandbox === true ? 'faucet' : 'faucet.none')
}

export const answerBridge: Answer = async function* ({ about, slots }, { callTool }) {
  const [hash] = slots.transactions
  if (hash === undefined) {
    yield say(about.language, 'bridge.ask')
    return
  }
  const answer = await callTool('chain_bridgeStatus', { l1_tx_hash: hash }).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'NOT_FOUND')
      throw new Refusal(say(about.language, 'bridge.none', { hash }), true)
    throw error
  })
  const values = { direction: text(answer, 'direction'), state: text(answer, 'state'), step: text(answer, 'next_step') }
  const sent = formatUnits(BigInt(text(answer, 'amount')), etherDigits)
  yield say(about.language, 'bridge', { ...values, amount: sent })
}

export const answerSlippageLimits: Answer = function* ({ about }) {
  const [most, usual] = [bounds.slippageBps, usualSlippageBps]
  yield say(about.language, 'slippage.limits', { most, percent: most / 100, usual, usualPercent: usual / 100 })
}

/** The written definitions of the terms of the question. */
export const answerDefinition: Answer = function* ({ about }) {
  for (const term of terms) {
    const key = `term.${term}`
    if (about.classes.includes(term) && isSentence(key)) yield `${say(about.language, key)}\n`
  }
  yield say(about.language, 'term')
}

/** What the TVL provider has of the protocols, chains and tokens of the question. */
export const answerResearch: Answer = async function* ({ text: asked, slots, about }, { callTool, vocabulary, now }) {
  yield 'Querying the TVL provider.\n'
  const isOpen = slots.chains.length + slots.protocols.length + slots.tokens.length === 0
  const named = isOpen && about.classes.includes('tvl') ? { ...slots, chains: [vocabulary.defaultChain] } : slots
  const calls = researchCalls(asked, named, vocabulary.defaultChain, now)
  const answer = await callTool('research_preview', { defi_calls: calls })
  yield `${text(answer, 'summary')}${sandboxText(text(answer, 'summary'), 'en')} Name a chain, a protocol or a token for more, or ask for yields, pools or history.`
}
