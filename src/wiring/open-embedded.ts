import type { TradingNode } from '../adapters/chain/reads/connection.ts'
import { openChain } from '../adapters/chain/viem-chain.ts'
import type { Chain, Hex } from '../domain/ports/chains.ts'
import type { Grants } from '../domain/ports/wallets.ts'
import type { Observer } from '../observe/observer.ts'
import { watchQuestions } from '../observe/watch-ports.ts'
import { openSandbox, type Sandbox } from '../sandbox/world.ts'
import type { Config } from '../settings/config.ts'

/** Opens the embedded world; the observer is notified of its events, and of each call of its rollup. */
export async function openEmbedded(config: Config, treasuryKey: Hex, observer: Observer): Promise<Sandbox> {
  const sandbox = await openSandbox({
    dataDir: config.DATA_DIR,
    chainId: config.CHAIN_ID,
    blockTimeSeconds: 2,
    treasuryKey,
    onEvent: ({ type, ...details }) => observer.chain({ event: type, ...details }),
  })
  return { ...sandbox, request: watchQuestions(observer)(sandbox.request) }
}

/** The rollup of the embedded world, over the client of its node, as a chain to trade on. */
export function embeddedChain(
  { deployment }: Sandbox,
  node: TradingNode,
  publicUrl: () => string,
  subgraphUrl: string | null,
): Chain {
  const chain = openChain({ deployment, node, sandbox: true })
  const info = {
    ...chain.info,
    subgraphUrl,
    get explorerUrl() {
      return `${publicUrl()}/explorer`
    },
  }
  return { ...chain, info }
}

/** The money that the sandbox gives new wallets, as the domain has it. */
export function grantsOf(chainId: number, { funder }: Sandbox): Grants {
  return {
    chainId,
    forAccount: (to) => ({ to: funder.address, ...funder.encode(to) }),
    amounts: funder.grants.map(({ address, amount }) => ({ token: address ?? 'native', amount })),
  }
}
