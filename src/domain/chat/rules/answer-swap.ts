import type { Slots } from '../../intent/slots.ts'
import { slippageOf } from '../../previews/requested-swap.ts'
import { formatUnits, parseUnits } from '../../values/money.ts'
import { type CallTool, Refusal, type TextPieces } from '../questions/tool-calls.ts'
import type { ConversationState, UserRequest } from './conversation.ts'
import { openSwapText, quoteText, tradeRiskText, venueText } from './replies.ts'

/** What is paid, as a quote takes it, and the same as text. */
type Payment = { amount: string; currency: string; text: string }

/** Native currency in wei that is kept for gas where the caller sells all of it. */
const gasReserve = 2n * 10n ** 15n

/** Quotes the requested swap, with its risk where the caller wants to trade it; asks for what is missing. */
export async function* answerSwap(
  { slots, trades, doubt }: UserRequest,
  callTool: CallTool,
  onQuote: (quoted: ConversationState['quoted']) => void,
): TextPieces {
  const open = doubt?.question ?? openSwapText(slots)
  if (open !== null) {
    yield open
    return
  }
  const slippage = slippageOf(slots)
  const paid = await paymentOf(slots, callTool)
  yield `Quoting ${paid.text} to ${slots.token_out} over the known pools.\n`
  const quote = await callTool('trading_quote', {
    input: {
      ...(slots.chain === null ? {} : { chain_id: slots.chain }),
      token_in_address: slots.token_in,
      token_out_address: slots.token_out,
      amount_in: paid.amount,
      amount_in_currency: paid.currency,
      slippage_bps: slippage,
    },
    ...(slots.wallet === null ? {} : { wallet_ref: slots.wallet }),
  })
  onQuote({ token: slots.token_out ?? '', amount: String(quote.expected_out) })
  yield quoteText(paid.text, slots.token_out ?? '', quote)
  if (slots.protocols.some((venue) => !String(quote.venue).startsWith(venue))) yield venueText
  if (!trades) return
  yield ` ${tradeRiskText(await callTool('trading_assessRisk', { quote_id: quote.quote_id }))}`
}

/** The amount to pay: as the caller names it, a share of the wallet, or the worth of an amount of the other token. */
async function paymentOf(slots: Slots, callTool: CallTool): Promise<Payment> {
  const { amount, share, amount_of: of, token_in: tokenIn, token_out: tokenOut } = slots
  if (amount === null) return await shareOf(slots, share ?? '1/1', callTool)
  if (slots.amount_currency === 'usd') return { amount, currency: 'usd', text: `${amount} USD of ${tokenIn}` }
  if (of === 'token_in') return { amount, currency: 'token_units', text: `${amount} ${tokenIn}` }
  const price = await callTool('tools_oraclePrice', {
    pair: tokenOut,
    ...(slots.chain === null ? {} : { chain: slots.chain }),
  })
  const worth = parseUnits(amount, 18) * parseUnits(String(price.price), 18)
  const usd = formatUnits(worth / 10n ** 18n, 18)
  return { amount: usd, currency: 'usd', text: `${usd} USD of ${tokenIn} (the worth of ${amount} ${tokenOut})` }
}

/** A share of the wallet's balance, rounded down to the token's smallest unit. */
async function shareOf(slots: Slots, share: string, callTool: CallTool): Promise<Payment> {
  const symbol = slots.token_in ?? ''
  const chain = slots.chain === null ? {} : { chain_id: slots.chain }
  const balance = await callTool('tools_walletBalance', {
    ...chain,
    ...(slots.wallet === null ? {} : { address: slots.wallet }),
  })
  const { units, decimals, native } = holding(balance, symbol)
  const [numerator = '1', denominator = '1'] = share.split('/')
  const most = native ? units - gasReserve : units
  const wanted = (units * BigInt(numerator)) / BigInt(denominator)
  const paid = wanted > most ? most : wanted
  if (paid <= 0n) {
    const kept = `${formatUnits(units, decimals)} ${symbol}, and ${formatUnits(gasReserve, decimals)} are kept for gas`
    const held = native && units > 0n ? kept : `no ${symbol} to sell`
    throw new Refusal(`your wallet holds ${held}.`)
  }
  const amount = formatUnits(paid, decimals)
  return {
    amount,
    currency: 'token_units',
    text: `${amount} ${symbol} of your ${formatUnits(units, decimals)} ${symbol}`,
  }
}

/** What a wallet holds of one token, by its symbol or its address. */
function holding(held: Record<string, unknown>, name: string): { units: bigint; decimals: number; native: boolean } {
  const wanted = name.toLowerCase()
  if (wanted === String(held.native_symbol).toLowerCase())
    return { units: parseUnits(String(held.native_balance), 18), decimals: 18, native: true }
  const tokens = (held.tokens ?? []) as readonly { symbol: string; address: string; decimals: number; amount: string }[]
  const token = tokens.find(({ symbol, address }) => [symbol.toLowerCase(), address.toLowerCase()].includes(wanted))
  if (token === undefined)
    throw new Refusal(
      `I do not know the token ${name.slice(0, 64)}; I know ${tokens.map(({ symbol }) => symbol).join(', ')}.`,
    )
  return { units: parseUnits(token.amount, token.decimals), decimals: token.decimals, native: false }
}
