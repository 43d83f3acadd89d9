import { openChain } from '../adapters/chain/viem-chain.ts'
import type { Chain, Hex } from '../domain/ports/chains.ts'
import type { Grants } from '../domain/ports/wallets.ts'
import type { Observer } from '../observe/observer.ts'
import { watchQuestions } from '../observe/watch-ports.ts'
import { openSandbox, type Sandbox } from '../sandbox/world.ts'
import type { Config } from '../settings/config.ts'

/** Opens the embedded world; the observer hears of its events, and of each question to its rollup. */
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

/** The rollup of the embedded world as a chain that is traded on. */
export function embeddedChain(sandbox: Sandbox, publicUrl: () => string, subgraphUrl: string | null): Chain {
  const chain = openChain({
    deployment: sandbox.deployment,
    request: sandbox.request,
    rpcUrls: [],
    sandbox: true,
    onBlock: sandbox.onBlock,
    finality: async () => finalityOf(sandbox),
  })
  const info = {
    ...chain.info,
    subgraphUrl,
    get explorerUrl() {
      return `${publicUrl()}/explorer`
    },
  }
  return { ...chain, info }
}

/** The engine behind the rollup does not know which of its blocks the parent holds. */
function finalityOf(sandbox: Sandbox): { safe: bigint; finalized: bigint } {
  const { safe, finalized } = sandbox.heads()
  return { safe: safe.number, finalized: finalized.number }
}

/** The sandbox's starting money, as the domain sees it. */
export function grantsOf(chainId: number, { funder }: Sandbox): Grants {
  return {
    chainId,
    forAccount: (to) => ({ to: funder.address, ...funder.encode(to) }),
    amounts: funder.grants.map(({ address, amount }) => ({ token: address ?? 'native', amount })),
  }
}
