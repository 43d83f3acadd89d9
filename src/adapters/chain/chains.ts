import { DomainError } from '../../domain/core/errors.ts'
import type { Chain, Chains } from '../../domain/ports/chains.ts'

/** Open chains as one port, the default one first. Throws where there is none, or two have one id. */
export function joinChains(all: readonly Chain[]): Chains {
  const byId = new Map(all.map((chain) => [chain.info.id, chain]))
  const [first] = all
  if (first === undefined) {
    throw new DomainError(
      'INTERNAL',
      'No chain is configured. Set CHAIN_RPC_URL, or leave it unset to run the embedded chain.',
    )
  }
  if (byId.size !== all.length) {
    throw new DomainError('INTERNAL', 'Two configured chains have the same id. Remove one of them.')
  }
  return { all, default: first, find: (chainId) => byId.get(chainId) ?? null }
}
