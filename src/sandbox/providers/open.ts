import type { BitcoinCodec } from '../../domain/ports/bitcoin.ts'
import { createBitcoinWorld } from '../bitcoin/chain.ts'
import { fileCheckpoints } from '../bitcoin/checkpoints.ts'
import { type ProviderServer, serveProviders } from '../provider-server/server.ts'
import type { Request } from '../requests/public-requests.ts'
import { analyticsService } from './analytics-service.ts'
import { esploraService } from './esplora-service.ts'
import { exchangeService } from './exchange-service.ts'
import { subgraphService } from './subgraph-service.ts'
import { tvlService } from './tvl-service.ts'
import { worldFacts } from './world-facts.ts'

/** What the sandbox's providers tell of, and where their faults are set. */
export type SandboxProvidersOptions = {
  request: Request
  chainId: number
  /** Reads the transactions of the Bitcoin chain. */
  codec: BitcoinCodec
  /** The first block that is trade. */
  firstBlock: number
  /** Where marks of the Bitcoin chain are kept; null keeps none. */
  marksFile: string | null
  /** Unix socket of the fault controls; null leaves them out. */
  controlPath: string | null
  /** Where they listen on loopback; absent or 0, at a free port. */
  port?: number
  failed: (thrown: unknown) => void
}

/** The sandbox's providers, running: the base URL of each, and the exact address of the subgraph. */
export type SandboxProviders = ProviderServer & {
  tvl: string
  analytics: string
  subgraph: string
  bitcoin: string
  exchange: string
}

/** Serves the providers of the embedded chain on a loopback port of their own. Throws where that is taken. */
export async function openSandboxProviders(options: SandboxProvidersOptions): Promise<SandboxProviders> {
  const world = worldFacts(options)
  const first = (await options.request({ method: 'eth_getBlockByNumber', params: ['0x0', false] })) as Genesis
  const start = Number(first.timestamp)
  const bitcoinChain = { start: start - bitcoinLeadSeconds, seconds: bitcoinSeconds }
  const marks =
    options.marksFile === null ? undefined : fileCheckpoints(options.marksFile, bitcoinChain, options.failed)
  const bitcoin = createBitcoinWorld(bitcoinChain, marks)
  const exchange = exchangeService({
    start: start * 1_000,
    swaps: async () => (await world.swaps()).swaps,
    now: () => Date.now(),
  })
  const server = await serveProviders(
    [
      ...[tvlService(world), analyticsService(world), subgraphService(world), exchange],
      esploraService(bitcoin, options.codec, now),
    ],
    options,
  )
  // Unasked, it would have weeks to make up for at once.
  const growing = setInterval(() => void bitcoin.tip(now()).catch(options.failed), bitcoinGrowsMs).unref()
  const { url } = server
  return {
    ...server,
    tvl: `${url}/tvl`,
    analytics: `${url}/analytics`,
    subgraph: `${url}/subgraph/pools`,
    bitcoin: `${url}/bitcoin`,
    exchange: `${url}/exchange`,
    async [Symbol.asyncDispose]() {
      exchange.close()
      clearInterval(growing)
      bitcoin.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** What is imitated begins with the embedded chain, so that it is the same at every start. */
type Genesis = { timestamp: string }

/** A block of Bitcoin's comes so often, and so much earlier than the embedded chain it begins. */
const [bitcoinSeconds, bitcoinLeadSeconds] = [30, 6_000]
const bitcoinGrowsMs = 3_600_000

const now = () => Math.floor(Date.now() / 1_000)
