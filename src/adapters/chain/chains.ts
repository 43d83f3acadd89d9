import type { Chain, Chains } from '../../domain/ports/chains.ts'

/** Open chains as one port, the default one first. */
export function joinChains(...all: readonly [Chain, ...Chain[]]): Chains {
  return { all, default: all[0], find: (chainId) => all.find(({ info }) => info.id === chainId) ?? null }
}
