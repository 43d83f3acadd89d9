import type { Address } from 'viem'
import type { BitcoinCodec } from '../../domain/ports/bitcoin.ts'
import { createRegtestChain } from '../bitcoin/chain.ts'
import { fileCheckpoints } from '../bitcoin/checkpoints.ts'
import { type MarketPrices, stillPrices } from '../market/clock.ts'
import {
  handleProviders,
  type ProviderHandlers,
  type ProviderServer,
  serveHandlers,
} from '../provider-server/server.ts'
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
  /** Those of a market that stands still from the first block on by default. */
  prices?: MarketPrices
  /** The account whose swaps only bring the market's prices to the pools. */
  arbitrageur?: Address
  /** The file of the Bitcoin chain's checkpoints; null stores none. */
  marksFile: string | null
  /** The Unix socket of the fault controls; null disables them. */
  controlPath: string | null
  failed: (thrown: unknown) => void
}

/** The base URL of each provider, and the full URL of the subgraph. */
export type ProviderUrls = { tvl: string; analytics: string; subgraph: string; bitcoin: string; exchange: string }

/** The URLs below the address of the server that has the providers' handlers. */
export function providerUrls(server: string): ProviderUrls {
  return {
    tvl: `${server}/tvl`,
    analytics: `${server}/analytics`,
    subgraph: `${server}/subgraph/pools`,
    bitcoin: `${server}/bitcoin`,
    exchange: `${server}/exchange`,
  }
}

/** The running providers. */
export type SandboxProviders = ProviderServer & ProviderUrls

/** Serves the providers of the embedded chain on a loopback port, a free one if 0. Throws where the port is in use. */
export async function openSandboxProviders({
  port = 0,
  ...options
}: SandboxProvidersOptions & { port?: number }): Promise<SandboxProviders> {
  const server = await serveHandlers(await openProviderHandlers(options), port)
  return { ...server, ...providerUrls(server.url) }
}

/** The providers of the embedded chain, for the server of another port. */
export async function openProviderHandlers(options: SandboxProvidersOptions): Promise<ProviderHandlers> {
  const genesis = (await options.request({ method: 'eth_getBlockByNumber', params: ['0x0', false] })) as Genesis
  const start = Number(genesis.timestamp)
  const { prices = stillPrices(start), arbitrageur = null } = options
  const chain = openChainData({ ...options, prices, arbitrageur })
  const bitcoinChain = { start: start - bitcoinLeadSeconds, seconds: bitcoinSeconds }
  const checkpoints =
    options.marksFile === null ? undefined : fileCheckpoints(options.marksFile, bitcoinChain, options.failed)
  const bitcoin = createRegtestChain(bitcoinChain, checkpoints)
  const exchange = exchangeService({
    start: prices.began * 1_000,
    prices,
    swaps: chain.swaps,
    now: () => Date.now(),
  })
  const handlers = await handleProviders(
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
  return {
    ...handlers,
    async [Symbol.asyncDispose]() {
      exchange.close()
      clearInterval(growing)
      bitcoin.close()
      await handlers[Symbol.asyncDispose]()
    },
  }
}

/** The imitated chains begin with the embedded chain, so that they are the same at every start. */
type Genesis = { timestamp: string }

/** The time between Bitcoin blocks, and how long before the embedded chain the Bitcoin chain begins. */
const [bitcoinSeconds, bitcoinLeadSeconds] = [30, 6_000]
const bitcoinGrowsMs = 3_600_000

const now = () => Math.floor(Date.now() / 1_000)
