import { computed, signal } from '@preact/signals'
import type { Chain, ChainToken, GatewayInfo } from '../../../generated/client/index.d.ts'
import { gateway } from '../gateway/client.ts'

/** What the gateway is; null until it has answered. */
export const info = signal<GatewayInfo | null>(null)

/** The connected chains with their tokens, the default one first; empty until they are read. */
export const chains = signal<readonly Chain[]>([])

/** Reads what the gateway is, which needs no token. */
export async function readInfo(): Promise<GatewayInfo> {
  info.value = await gateway.system.info.query({})
  return info.value
}

/** Reads the chains. */
export async function readChains(): Promise<void> {
  chains.value = await gateway.trading.listChains.query({})
}

const tokensByPlace = computed(
  () =>
    new Map(
      chains.value.flatMap(({ chain_id, tokens }) => tokens.map((token) => [placeOf(chain_id, token.address), token])),
    ),
)

/** The listed token at an address. */
export function tokenAt(chainId: number, address: string): ChainToken | undefined {
  return tokensByPlace.value.get(placeOf(chainId, address))
}

/** The chain of an id. */
export function chainOf(chainId: number): Chain | undefined {
  return chains.value.find(({ chain_id }) => chain_id === chainId)
}

/** The symbol of a token, or its shortened address where it is not listed. */
export function symbolAt(chainId: number, address: string): string {
  if (/^0x0{40}$/.test(address)) return chainOf(chainId)?.native_symbol ?? 'native currency'
  return tokenAt(chainId, address)?.symbol ?? `${address.slice(0, 8)}…${address.slice(-4)}`
}

function placeOf(chainId: number, address: string): string {
  return `${chainId}/${address.toLowerCase()}`
}
