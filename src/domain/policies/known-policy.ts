import type { Chains } from '../ports/chains.ts'
import type { TradePolicy } from '../ports/trade-policy.ts'
import { chainOf, knownToken, tokenOf } from '../values/tokens.ts'

/**
 * Refuses a policy that names what there is not, which would bar every trade in silence: INVALID_ARGUMENT that names the
 * place in the list, as `names` calls the lists, and what is known. A token counts on the chains that the policy allows.
 */
export function demandKnown(
  chains: Chains,
  policy: Pick<TradePolicy, 'chains' | 'tokens'>,
  names: { chains: string; tokens: string },
): void {
  const named = policy.chains?.map((id, index) => chainOf(chains, id, `${names.chains}.${index}`))
  const allowed = named ?? chains.all
  for (const [index, token] of (policy.tokens ?? []).entries()) {
    if (allowed.some((chain) => knownToken(chain, token) !== null)) continue
    tokenOf(allowed[0] ?? chains.default, token, `${names.tokens}.${index}`)
  }
}
