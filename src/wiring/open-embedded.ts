import type { TradingNode } from '../adapters/chain/reads/connection.ts'
import { openChain } from '../adapters/chain/viem-chain.ts'
import type { Chain, Hex } from '../domain/ports/chains.ts'
import type { Grants } from '../domain/ports/wallets.ts'
import type { Observer } from '../observe/observer.ts'
import { watchCalls } from '../observe/watch-ports.ts'
import type { ChainEvent } from '../sandbox/kit/events.ts'
import { openSandbox, type Sandbox, type SandboxOptions } from '../sandbox/world.ts'
import type { Config } from '../settings/config.ts'

/** Times between blocks of the embedded chains. They are not settings, since the genesis of a data folder has them. */
export type BlockTimes = Pick<SandboxOptions, 'blockTimeSeconds' | 'parentBlockTimeSeconds'>

export const embeddedBlockTimes: BlockTimes = { blockTimeSeconds: 2 }

/** Opens the embedded world; the observer is notified of its events, and of each call of its rollup. */
export async function openEmbedded(
  config: Config,
  treasuryKey: Hex,
  observer: Observer,
  blockTimes: BlockTimes,
): Promise<Sandbox> {
  const sandbox = await openSandbox({
    dataDir: config.DATA_DIR,
    chainId: config.CHAIN_ID,
    ...blockTimes,
    treasuryKey,
    reads: { gas: config.RPC_GAS_CAP, seconds: config.RPC_EVM_TIMEOUT_SECONDS },
    onEvent: ({ type, ...details }) => observer.chain({ event: type, severity: severities[type], ...details }),
  })
  return { ...sandbox, request: watchCalls(observer)(sandbox.request) }
}

/** `warn` where an operator may have to act, `info` where that is over. */
const severities: Record<ChainEvent['type'], 'warn' | 'info' | 'debug'> = {
  'block-production-failed': 'warn',
  'chain-restored': 'debug',
  'contracts-deployed': 'debug',
  'deposit-refused': 'debug',
  'derivation-failed': 'warn',
  'disk-failed': 'warn',
  'disk-recovered': 'info',
  'engine-exited': 'debug',
  'engine-orphan-ended': 'warn',
  'engine-replaced': 'debug',
  'engine-replacement-failed': 'warn',
  'engine-started': 'debug',
  'keeper-acted': 'debug',
  'keeper-failed': 'warn',
  'listener-failed': 'warn',
  'log-torn-line-dropped': 'warn',
  'output-proposed': 'debug',
  'proposer-failed': 'warn',
  'restore-failed': 'warn',
  'snapshot-failed': 'warn',
  'snapshot-unusable': 'warn',
  'snapshot-written': 'debug',
  'transaction-dropped': 'warn',
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
