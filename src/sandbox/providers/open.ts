import { createBitcoinWorld } from '../bitcoin/chain.ts'
import type { Request } from '../public-door.ts'
import { analyticsService } from './analytics-service.ts'
import { esploraService } from './esplora-service.ts'
import { type ProviderServer, type Service, serveProviders } from './server.ts'
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
export type SandboxProviders = ProviderServer & { tvl: string; analytics: string; subgraph: string; bitcoin: string }

/** Serves the providers of the embedded chain on a loopback port of their own. */
export async function openSandboxProviders(options: SandboxProvidersOptions): Promise<SandboxProviders> {
  const world = worldFacts(options)
  const services = [tvlService(world), analyticsService(world), subgraphService(world), await bitcoinService(options)]
  const server = await serveProviders(services, options)
  const { url } = server
  return {
    ...server,
    tvl: `${url}/tvl`,
    analytics: `${url}/analytics`,
    subgraph: `${url}/subgraph/pools`,
    bitcoin: `${url}/bitcoin`,
  }
}

/** Its chain begins with the embedded one, so that it is the same at every start. */
async function bitcoinService({ request }: SandboxProvidersOptions): Promise<Service> {
  const first = (await request({ method: 'eth_getBlockByNumber', params: ['0x0', false] })) as { timestamp: string }
  const chain = createBitcoinWorld({ start: Number(first.timestamp) - bitcoinLeadSeconds, seconds: bitcoinSeconds })
  return esploraService(chain, () => Math.floor(Date.now() / 1_000))
}

/** A block of Bitcoin's comes so often, and so much earlier than the embedded chain it begins. */
const [bitcoinSeconds, bitcoinLeadSeconds] = [30, 6_000]
