import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'

/** The connected chains, the default one first, with the tokens that may be traded. */
export const listChains: Handler<typeof contract.trading.listChains, 'chainHalts' | 'chains'> = async (ports) => {
  const halts = await ports.chainHalts.list()
  const isHalted = (chainId: number) => halts.some(({ scope, id }) => scope === 'global' || id === String(chainId))
  return ports.chains.all.map(({ info }) => ({
    chain_id: info.id,
    name: info.name,
    native_symbol: info.nativeSymbol,
    explorer_url: info.explorerUrl,
    tokens: info.tokens.map(({ symbol, address, decimals, test }) => ({
      symbol,
      address,
      decimals,
      ...(test === true ? { test } : {}),
    })),
    venues: [...info.venues],
    ...(info.subgraphUrl === undefined || info.subgraphUrl === null ? {} : { subgraph_url: info.subgraphUrl }),
    halted: isHalted(info.id),
  }))
}
