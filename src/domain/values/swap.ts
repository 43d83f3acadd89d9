import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import type { Chain, Chains, Token } from '../ports/chains.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { parseUnits } from './money.ts'
import { currentPrice } from './prices.ts'
import { chainOf, tokenOf } from './tokens.ts'

/** A swap as a caller asks for it. */
export type SwapInput = InputOf<typeof contract.trading.quote>['input']

type AskedSwap = Pick<StoredQuote, 'chainId' | 'tokenIn' | 'tokenOut' | 'slippageBps' | 'asked'>

/** A swap whose chain, tokens and amount are known to make sense. The amount is in smallest units of the token in. */
export type Swap = { chain: Chain; tokenIn: Token; tokenOut: Token; amountIn: bigint }

/** Checks a swap against the chains; every rule that it breaks is INVALID_ARGUMENT and names its field. */
export async function readSwap(chains: Chains, input: SwapInput, path = 'input'): Promise<Swap> {
  const chain = chainOf(chains, input.chain_id, `${path}.chain_id`)
  const tokenIn = tokenOf(chain, input.token_in_address, `${path}.token_in_address`)
  const tokenOut = tokenOf(chain, input.token_out_address, `${path}.token_out_address`)
  if (tokenIn.address === tokenOut.address)
    throw invalid(`${path}.token_out_address`, 'must be another token than the one sold', 'same_token')
  return { chain, tokenIn, tokenOut, amountIn: await amountOf(chain, tokenIn, input, path) }
}

async function amountOf(chain: Chain, token: Token, input: SwapInput, path: string): Promise<bigint> {
  const field = `${path}.amount_in`
  if (input.amount_in_currency === 'base_units') return parseUnits(input.amount_in, 0, field, 'an amount in base_units')
  if (input.amount_in_currency === 'token_units') return parseUnits(input.amount_in, token.decimals, field)
  const dollars = parseUnits(input.amount_in, 18, field, 'an amount in usd')
  const price = await currentPrice(chain, token)
  if (price === null)
    throw invalid(
      `${path}.amount_in_currency`,
      `no current feed prices ${token.symbol}; give its amount in token_units or base_units`,
      'no_price',
    )
  const amount = (dollars * 10n ** BigInt(token.decimals + price.decimals)) / (price.answer * 10n ** 18n)
  if (amount === 0n) throw invalid(field, `is less than the smallest unit of ${token.symbol} is worth`, 'too_small')
  return amount
}

/** The amount as the caller wrote it, without zeros that say nothing: two that are equal ask for the same. */
export function askedAmount({ amount_in, amount_in_currency }: SwapInput): string {
  return `${plainDecimal(amount_in)} ${amount_in_currency}`
}

/** The swap that a quote was asked for, as it was asked. */
export function swapAsked({ chainId, tokenIn, tokenOut, slippageBps, asked }: AskedSwap): SwapInput {
  const [amount = '', currency] = asked.split(' ')
  return {
    chain_id: chainId,
    token_in_address: tokenIn,
    token_out_address: tokenOut,
    amount_in: amount,
    amount_in_currency: currency as SwapInput['amount_in_currency'], // `askedAmount` wrote it
    slippage_bps: slippageBps,
  }
}

/** A decimal without zeros that say nothing. */
export function plainDecimal(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  const kept = fraction.replace(/0+$/, '')
  return `${whole.replace(/^0+(?=\d)/, '')}${kept === '' ? '' : `.${kept}`}`
}
