import { readdirSync, readFileSync } from 'node:fs'
import { DomainError } from '../../domain/errors.ts'
import type { Chain } from '../../domain/ports/chains.ts'
import { connect } from './connection.ts'
import { type Deployment, deploymentSchema } from './deployment.ts'
import { verifyDeployment } from './verify.ts'
import { openChain } from './viem-chain.ts'

const folder = new URL('deployments/', import.meta.url)

/** Opens a public chain by its committed table, once the chain has been asked and agrees with it. */
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

/** The committed table of a chain; FAILED_PRECONDITION that lists the chains where it has none. */
export function readDeployment(chainId: number): Deployment {
  const known = knownChains()
  if (!known.includes(chainId)) {
    throw new DomainError(
      'FAILED_PRECONDITION',
      `There is no table for chain ${chainId}; set CHAIN_ID to one of ${known.join(', ')}.`,
    )
  }
  return deploymentSchema.parse(JSON.parse(readFileSync(new URL(`${chainId}.json`, folder), 'utf8')))
}

/** Ids of the chains that have a committed table. */
export function knownChains(): number[] {
  return readdirSync(folder)
    .map((name) => Number(name.replace('.json', '')))
    .sort((left, right) => left - right)
}
