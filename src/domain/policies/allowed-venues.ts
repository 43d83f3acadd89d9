import type { Hex, RouteQuote } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'

export type VenueNeeds = 'tradingSettings' | 'walletPolicies'

/** The venues that the configuration and the wallet's own policy both allow; null where neither limits them. */
export async function allowedVenues(
  { tradingSettings, walletPolicies }: Pick<Ports, VenueNeeds>,
  wallet: Hex | null,
): Promise<readonly string[] | null> {
  const ofAll = tradingSettings.venues
  const own = wallet === null ? null : ((await walletPolicies.find(wallet))?.venues ?? null)
  return ofAll === null || own === null ? (ofAll ?? own) : ofAll.filter((venue) => own.includes(venue))
}

/** The routes over the venues allowed. Where those fill nothing all are left, so that the policy's refusal names one. */
export function steered(quotes: readonly RouteQuote[], venues: readonly string[] | null): readonly RouteQuote[] {
  const allowed = venues === null ? quotes : quotes.filter(({ route }) => venues.includes(route.venue))
  return allowed.length === 0 ? quotes : allowed
}
