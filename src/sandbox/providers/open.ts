import type { Request } from '../public-door.ts'
import { analyticsService } from './analytics-service.ts'
import { type ProviderServer, serveProviders } from './server.ts'
import { subgraphService } from './subgraph-service.ts'
import { tvlService } from './tvl-service.ts'
import { worldFacts } from './world-facts.ts'

/** What the sandbox's providers tell of, and where their faults are set. */
export type SandboxProvidersOptions = {
  request: Request
  chainId: number
  /** The first block that is trade. */
  firstBlock: number
  /** Unix socket of the fault controls; null leaves them out. */
  controlPath: string | null
  failed: (thrown: unknown) => void
}

/** The sandbox's providers, running: the base URL of each, and the exact address of the subgraph. */
export type SandboxProviders = ProviderServer & { tvl: string; analytics: string; subgraph: string }

/** Serves the providers of the embedded chain on a loopback port of their own. */
export async function openSandboxProviders(options: SandboxProvidersOptions): Promise<SandboxProviders> {
  const world = worldFacts(options)
  const services = [tvlService(world), analyticsService(world), subgraphService(world)]
  const server = await serveProviders(services, options)
  const { url } = server
  return { ...server, tvl: `${url}/tvl`, analytics: `${url}/analytics`, subgraph: `${url}/subgraph/pools` }
}
