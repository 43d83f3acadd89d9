import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import type { Chain, Chains, Token } from '../ports/chains.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { parseUnits } from './money.ts'
import { currentPrice } from './prices.ts'
import { chainOf, tokenOf } from './tokens.ts'

/** A swap as a caller requests it. */
export type SwapInput = InputOf<typeof contract.trading.quote>['input']

/** A swap on known chains and tokens. */
export type Swap = {
  chain: Chain
  tokenIn: Token
  tokenOut: Token
  /** The amount to sell, in smallest units of the token in. */
  amountIn: bigint
  /** The amount as requested, such as `100 usd`; see `requestedAmountOf`. */
  requestedAmount: string
  slippageBps: number
}

/**
 * Reads a requested swap. A chain or token that is not known, and an amount that cannot be read or priced, are
 * INVALID_ARGUMENT; the error names the field under `path`. An amount in USD is converted at the current feed price, so
 * read a request once and pass the result on.
 */
export async function readSwap(chains: Chains, input: SwapInput, path = 'input'): Promise<Swap> {
  const chain = chainOf(chains, input.chain_id, `${path}.chain_id`)
  const tokenIn = tokenOf(chain, input.token_in_address, `${path}.token_in_address`)
  const tokenOut = tokenOf(chain, input.token_out_address, `${path}.token_out_address`)
  if (tokenIn.address === tokenOut.address)
    throw invalid(`${path}.token_out_address`, 'must differ from token_in_address', 'same_token')
  return {
    chain,
    tokenIn,
    tokenOut,
    amountIn: await amountOf(chain, tokenIn, input, path),
    requestedAmount: requestedAmountOf(input),
    slippageBps: input.slippage_bps,
  }
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
      `no price feed has a current price of ${token.symbol}; send the amount in token_units or base_units`,
      'no_price',
    )
  const amount = (dollars * 10n ** BigInt(token.decimals + price.decimals)) / (price.answer * 10n ** 18n)
  if (amount === 0n) throw invalid(field, `is worth less than the smallest unit of ${token.symbol}`, 'too_small')
  return amount
}

/** The amount and its currency as the caller wrote them, without redundant zeros: equal texts request the same amount. */
function requestedAmountOf({ amount_in, amount_in_currency }: SwapInput): string {
  return `${plainDecimal(amount_in)} ${amount_in_currency}`
}

type QuotedSwap = Pick<StoredQuote, 'chainId' | 'tokenIn' | 'tokenOut' | 'slippageBps' | 'requestedAmount'>

/** The swap of a quote, as it was requested. */
export function swapOfQuote({ chainId, tokenIn, tokenOut, slippageBps, requestedAmount }: QuotedSwap): SwapInput {
  const [amount = '', currency] = requestedAmount.split(' ')
  return {
    chain_id: chainId,
    token_in_address: tokenIn,
    token_out_address: tokenOut,
    amount_in: amount,
    amount_in_currency: currency as SwapInput['amount_in_currency'], // `requestedAmountOf` wrote it
    slippage_bps: slippageBps,
  }
}

/** Decimal text without redundant zeros: `01.50` becomes `1.5`. */
export function plainDecimal(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  const significant = fraction.replace(/0+$/, '')
  return `${whole.replace(/^0+(?=\d)/, '')}${significant === '' ? '' : `.${significant}`}`
}
