import type { BitcoinCodec } from '../../domain/ports/bitcoin.ts'
import { createRegtestChain } from '../bitcoin/chain.ts'
import { fileCheckpoints } from '../bitcoin/checkpoints.ts'
import { type ProviderServer, serveProviders } from '../provider-server/server.ts'
import type { Request } from '../requests/public-requests.ts'
import { analyticsService } from './analytics-service.ts'
import { openChainData } from './chain-data.ts'
import { esploraService } from './esplora-service.ts'
import { exchangeService } from './exchange-service.ts'
import { subgraphService } from './subgraph-service.ts'
import { tvlService } from './tvl-service.ts'

type SandboxProvidersOptions = {
  request: Request
  chainId: number
  /** Decodes the transactions of the Bitcoin chain. */
  codec: BitcoinCodec
  /** The first block after the bootstrap. */
  firstBlock: number
  /** The file of the Bitcoin chain's checkpoints; null stores none. */
  marksFile: string | null
  /** The Unix socket of the fault controls; null disables them. */
  controlPath: string | null
  /** The loopback port; a free one if absent or 0. */
  port?: number
  failed: (thrown: unknown) => void
}

/** The running providers: the base URL of each, and the full URL of the subgraph. */
export type SandboxProviders = ProviderServer & {
  tvl: string
  analytics: string
  subgraph: string
  bitcoin: string
  exchange: string
}

/** Serves the providers of the embedded chain on one loopback port. Throws where the port is in use. */
export async function openSandboxProviders(options: SandboxProvidersOptions): Promise<SandboxProviders> {
  const chain = openChainData(options)
  const genesis = (await options.request({ method: 'eth_getBlockByNumber', params: ['0x0', false] })) as Genesis
  const start = Number(genesis.timestamp)
  const bitcoinChain = { start: start - bitcoinLeadSeconds, seconds: bitcoinSeconds }
  const checkpoints =
    options.marksFile === null ? undefined : fileCheckpoints(options.marksFile, bitcoinChain, options.failed)
  const bitcoin = createRegtestChain(bitcoinChain, checkpoints)
  const exchange = exchangeService({
    start: start * 1_000,
    swaps: chain.swaps,
    now: () => Date.now(),
  })
  const server = await serveProviders(
    [
      tvlService(chain),
      analyticsService(chain),
      subgraphService(chain),
      exchange,
      esploraService(bitcoin, options.codec, now),
    ],
    options,
  )
  // The chain is mined in advance, because otherwise the first request after weeks would have to mine all their blocks.
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

/** The imitated chains begin with the embedded chain, so that they are the same at every start. */
type Genesis = { timestamp: string }

/** The time between Bitcoin blocks, and how long before the embedded chain the Bitcoin chain begins. */
const [bitcoinSeconds, bitcoinLeadSeconds] = [30, 6_000]
const bitcoinGrowsMs = 3_600_000

const now = () => Math.floor(Date.now() / 1_000)
