import type { Chains } from '../ports/chains.ts'
import type { TradePolicy } from '../ports/trade-policy.ts'
import { chainOf, knownToken, tokenOf } from '../values/tokens.ts'

/**
 * Refuses a policy with an unknown chain or token, which would silently forbid every trade. INVALID_ARGUMENT names the
 * entry, in the lists that `names` names, and the known values. A token must be known on one of the allowed chains.
 */
export function requireKnown(
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
