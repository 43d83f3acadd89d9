import { bounds } from '../../contract/shared/limits.ts'
import { invalid } from '../core/errors.ts'
import type { Slots } from '../intent/slots.ts'
import type { Chain, Chains, Hex } from '../ports/chains.ts'
import type { SwapInput } from '../values/swap.ts'
import { chainNamed, requireChecksum, symbolsOf, tokenCalled } from '../values/tokens.ts'

/** The slippage, in basis points, of a text that names none. */
export const usualSlippageBps = 50

/** The swap that a text names, or null where a part is missing. INVALID_ARGUMENT for an unknown chain or a slippage out of range. */
export function requestedSwap(slots: Slots, chains: Chains): SwapInput | null {
  const chain = requestedChain(slots, chains)
  const [tokenIn, tokenOut] = [slots.token_in, slots.token_out].map((name) => requestedToken(chain, name))
  if (slots.amount === null || !tokenIn || !tokenOut) return null
  if (slots.amount_of === 'token_out' && slots.amount_currency !== 'usd') return null
  return {
    chain_id: chain.info.id,
    token_in_address: tokenIn,
    token_out_address: tokenOut,
    amount_in: slots.amount,
    amount_in_currency: slots.amount_currency ?? 'token_units',
    slippage_bps: slippageOf(slots),
  }
}

/** Why a text cannot be previewed, and what to send instead. */
export function whyNoPreview(slots: Slots, chains: Chains): string {
  const chain = requestedChain(slots, chains)
  const unknown = slots.tokens.find((name) => requestedToken(chain, name) === null)
  if (unknown !== undefined)
    return `${chain.info.name} has no token called ${unknown}. Its known tokens are ${symbolsOf(chain)}.`
  if (slots.share !== null) return 'A share refers to what a wallet holds. Use the chat, or send an amount.'
  if (slots.amount_of === 'token_out')
    return 'A quote needs the amount that is paid. Say how much of which token you pay with.'
  return 'This text cannot be previewed. Previews exist for swaps, the risk of tokens, and research.'
}

/** The slippage of a text, in basis points. INVALID_ARGUMENT where it is out of range. */
export function slippageOf({ slippage_bps: named }: Slots): number {
  const slippage = named ?? usualSlippageBps
  if (slippage >= 0 && slippage <= bounds.slippageBps) return slippage
  const most = bounds.slippageBps / 100
  throw invalid('text', `slippage must be from 0 to ${most} %. Which slippage do you want?`)
}

/** The chain that a text names, else the default chain. */
export function requestedChain({ chain }: Slots, chains: Chains): Chain {
  return chain === null ? chains.default : chainNamed(chains, chain, 'text')
}

/** The address of a token by its symbol or its address; null for an unknown symbol. INVALID_ARGUMENT for a wrong checksum. */
export function requestedToken(chain: Chain, name: string | null): Hex | null {
  if (name === null) return null
  requireChecksum(name, 'text')
  const wanted = name.toLowerCase()
  return tokenCalled(chain, wanted)?.address ?? (/^0x[0-9a-f]{40}$/.test(wanted) ? (wanted as Hex) : null)
}
