import type { Chain, Chains } from '../../src/domain/ports/chains.ts'
import type { Ports } from '../../src/domain/ports/index.ts'

/** The chains with one function of each replaced. */
export function chainsWith(ports: Pick<Ports, 'chains'>, change: (chain: Chain) => Partial<Chain>): Chains {
  const all = ports.chains.all.map((chain) => ({ ...chain, ...change(chain) }))
  return { all, default: all[0]!, find: (id) => all.find(({ info }) => info.id === id) ?? null }
}
