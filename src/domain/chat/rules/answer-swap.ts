import { DomainError } from '../../core/errors.ts'
import type { Slots } from '../../intent/slots.ts'
import { slippageOf } from '../../previews/asked-swap.ts'
import { formatUnits, parseUnits } from '../../values/money.ts'
import type { Asked } from './conversation.ts'
import { openSwapText, quoteText, tradeRiskText, venueText } from './replies.ts'
import type { Look, Pieces } from './tool-calls.ts'

/** What is paid, as a quote takes it, and the same in words. */
type Payment = { amount: string; currency: string; says: string }

/** Native currency that is kept for gas where all of it is to be sold, in wei. */
const gasReserve = 2n * 10n ** 15n

/** What is to be done later, or again and again. */
const later = /\b(when|if|once|limit|stop.?loss|every|daily|weekly|monthly|dca|recurring|later|tomorrow)\b/i

/** Quotes the swap that is asked for, and its risk too where it is to be traded; asks for what is still open. */
export async function* answerSwap(asked: Asked, look: Look): Pieces {
  const { slots } = asked
  const open = openSwapText(slots)
  if (open !== null) {
    yield open
    return
  }
  const slippage = slippageOf(slots)
  const paid = await paymentOf(slots, look)
  yield `Quoting ${paid.says} to ${slots.token_out} over the known pools.\n`
  const quote = await look('trading_quote', {
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
  yield quoteText(paid.says, slots.token_out ?? '', quote)
  if (slots.protocols.some((venue) => !String(quote.venue).startsWith(venue))) yield venueText
  if (!asked.trades) return
  if (later.test(asked.text)) yield ' I keep no conditions and no schedules: this is the price now.'
  const input = { chain: 'evm', addresses: [] }
  yield ` ${tradeRiskText(await look('trading_assessRisk', { quote: quote.quote_id, input }))}`
}

/** The amount to pay: as it is named, a share of the wallet, or what so much of the other token is worth. */
async function paymentOf(slots: Slots, look: Look): Promise<Payment> {
  const { amount, share, amount_of: of, token_in: tokenIn, token_out: tokenOut } = slots
  if (amount === null) return await shareOf(slots, share ?? '1/1', look)
  if (slots.amount_currency === 'usd') return { amount, currency: 'usd', says: `${amount} USD of ${tokenIn}` }
  if (of === 'token_in') return { amount, currency: 'token_units', says: `${amount} ${tokenIn}` }
  const price = await look('tools_oraclePrice', {
    pair: tokenOut,
    ...(slots.chain === null ? {} : { chain: slots.chain }),
  })
  const worth = parseUnits(amount, 18) * parseUnits(String(price.price), 18)
  const usd = formatUnits(worth / 10n ** 18n, 18)
  return { amount: usd, currency: 'usd', says: `${usd} USD of ${tokenIn} (the worth of ${amount} ${tokenOut})` }
}

/** So much of what the wallet holds, rounded down to the token's smallest unit. */
async function shareOf(slots: Slots, share: string, look: Look): Promise<Payment> {
  const symbol = slots.token_in ?? ''
  const chain = slots.chain === null ? {} : { chain_id: slots.chain }
  const balance = await look('tools_walletBalance', {
    ...chain,
    ...(slots.wallet === null ? {} : { address: slots.wallet }),
  })
  const { units, decimals, native } = holding(balance, symbol)
  const [above = '1', below = '1'] = share.split('/')
  const most = native ? units - gasReserve : units
  const wanted = (units * BigInt(above)) / BigInt(below)
  const paid = wanted > most ? most : wanted
  if (paid <= 0n) {
    const kept = `${formatUnits(units, decimals)} ${symbol}, and ${formatUnits(gasReserve, decimals)} are kept for gas`
    const held = native && units > 0n ? kept : `no ${symbol} to sell`
    throw new DomainError('FAILED_PRECONDITION', `your wallet holds ${held}.`)
  }
  const amount = formatUnits(paid, decimals)
  return {
    amount,
    currency: 'token_units',
    says: `${amount} ${symbol} of your ${formatUnits(units, decimals)} ${symbol}`,
  }
}

/** What a balance tells of one token, by its symbol or its address. */
function holding(held: Record<string, unknown>, name: string): { units: bigint; decimals: number; native: boolean } {
  const wanted = name.toLowerCase()
  if (wanted === String(held.native_symbol).toLowerCase())
    return { units: parseUnits(String(held.native_balance), 18), decimals: 18, native: true }
  const tokens = (held.tokens ?? []) as readonly { symbol: string; address: string; decimals: number; amount: string }[]
  const token = tokens.find(({ symbol, address }) => [symbol.toLowerCase(), address.toLowerCase()].includes(wanted))
  if (token === undefined)
    throw new DomainError(
      'NOT_FOUND',
      `I do not know the token ${name.slice(0, 64)}; I know ${tokens.map(({ symbol }) => symbol).join(', ')}.`,
    )
  return { units: parseUnits(token.amount, token.decimals), decimals: token.decimals, native: false }
}
