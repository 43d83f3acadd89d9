import { readdirSync, readFileSync } from 'node:fs'
import { zeroAddress } from 'viem'
import { z } from 'zod'
import { DomainError } from '../../domain/core/errors.ts'
import type { Chain } from '../../domain/ports/chains.ts'
import { connect, type TradingNode } from './reads/connection.ts'
import { type Deployment, deploymentSchema } from './reads/deployment.ts'
import { verifyDeployment } from './reads/verify.ts'
import { openChain } from './viem-chain.ts'

const folder = new URL('./deployments/', import.meta.url)

/** Opens a public chain by its table, after comparing the table with the chain. */
export async function openPublicChain(options: {
  chainId: number
  node: TradingNode
  explorerUrl?: string | null
  /** A file with the chain's table, in place of the included one. */
  tableFile?: string | undefined
}): Promise<Chain> {
  const deployment = readDeployment(options.chainId, options.tableFile)
  const { node, explorerUrl = null } = options
  await verifyDeployment(connect(deployment, node, false))
  return openChain({ deployment, node, sandbox: false, explorerUrl })
}

/** The table of a chain, from the file or included. Without one, the node is served and nothing can be traded. */
export function readDeployment(chainId: number, tableFile?: string): Deployment {
  if (tableFile !== undefined) return readTable(chainId, tableFile)
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

function readTable(chainId: number, tableFile: string): Deployment {
  try {
    const deployment = deploymentSchema.parse(JSON.parse(readFileSync(tableFile, 'utf8')))
    if (deployment.chain_id === chainId) return deployment
  } catch (cause) {
    throw new DomainError(
      'FAILED_PRECONDITION',
      `CHAIN_TABLE ${tableFile} ${faultOf(cause)}. Compare it with those in src/adapters/chain/deployments.`,
      {},
      cause,
    )
  }
  throw new DomainError(
    'FAILED_PRECONDITION',
    `CHAIN_TABLE ${tableFile} is for a different chain than CHAIN_ID ${chainId}.`,
  )
}

/** What is wrong with a file that could not be read as a table, with the first wrong field. */
function faultOf(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    const [issue] = cause.issues
    return `is not a valid table of a chain: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`
  }
  return cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
}

/** The ids of the chains with an included table. */
export function knownChains(): number[] {
  return readdirSync(folder)
    .map((name) => Number(name.replace('.json', '')))
    .sort((left, right) => left - right)
}
