import { readdirSync, readFileSync } from 'node:fs'
import { zeroAddress } from 'viem'
import type { Chain } from '../../domain/ports/chains.ts'
import { connect } from './connection.ts'
import { type Deployment, deploymentSchema } from './deployment.ts'
import { verifyDeployment } from './verify.ts'
import { openChain } from './viem-chain.ts'

const folder = new URL('deployments/', import.meta.url)

/** Opens a public chain by its table, once the chain has been asked and agrees with it. */
export async function openPublicChain(options: {
  chainId: number
  rpcUrls: readonly string[]
  explorerUrl?: string | null
}): Promise<Chain> {
  const deployment = readDeployment(options.chainId)
  await verifyDeployment(connect(deployment, { rpcUrls: options.rpcUrls }, false))
  const { rpcUrls, explorerUrl = null } = options
  return openChain({ deployment, request: null, rpcUrls, sandbox: false, explorerUrl })
}

/** The committed table of a chain, or where it has none a bare one: of a chain whose node is served and nothing traded. */
export function readDeployment(chainId: number): Deployment {
  if (!knownChains().includes(chainId)) return bareDeployment(chainId)
  return deploymentSchema.parse(JSON.parse(readFileSync(new URL(`${chainId}.json`, folder), 'utf8')))
}

function bareDeployment(chainId: number): Deployment {
  const none = zeroAddress
  return {
    chain_id: chainId,
    name: `chain-${chainId}`,
    native_symbol: 'ETH',
    block_time_seconds: 2,
    wrapped_native: none,
    multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
    uniswap_v2: { factory: none, router: none },
    uniswap_v3: { factory: none, quoter: none, router: none, fee_tiers: [] },
    tokens: [],
    feeds: [],
    native_usd_feed: '',
  }
}

/** Ids of the chains that have a committed table. */
export function knownChains(): number[] {
  return readdirSync(folder)
    .map((name) => Number(name.replace('.json', '')))
    .sort((left, right) => left - right)
}
