import { createExchange } from '../adapters/exchange/exchange.ts'
import { createMarketData } from '../adapters/exchange/market-data.ts'
import { createStreamSocket } from '../adapters/exchange/stream-socket.ts'
import { createAnalytics } from '../adapters/providers/analytics.ts'
import { createBitcoinChain } from '../adapters/providers/esplora.ts'
import { createHttpProvider, type HttpProvider, type HttpProviderOptions } from '../adapters/providers/http.ts'
import type { Rest } from '../adapters/providers/http-breaker.ts'
import { createResponseCache } from '../adapters/providers/http-cache.ts'
import { secretsOf } from '../adapters/providers/http-endpoint.ts'
import type { SharedAnswers } from '../adapters/providers/shared-answers.ts'
import { createSubgraphs } from '../adapters/providers/subgraphs.ts'
import { createTvlFeed } from '../adapters/providers/tvl.ts'
import { DomainError } from '../domain/core/errors.ts'
import type { Providers } from '../domain/ports/index.ts'
import type { Exchange, MarketData } from '../domain/ports/market.ts'
import type { Analytics, Subgraphs } from '../domain/ports/providers.ts'
import type { Observer } from '../observe/observer.ts'
import { timed } from '../observe/watch-ports.ts'
import type { ProviderUrls } from '../sandbox/providers/open.ts'
import type { Config } from '../settings/config.ts'
import type { EmbeddedWorld } from './sandbox/open-embedded.ts'

type OpenProviders = { providers: Providers; exchange: Exchange }

/** Opens a client of every provider; those that are not configured are the sandbox's own, or the usual ones. */
export async function openProviders(
  config: Config,
  sandbox: EmbeddedWorld | null,
  opened: AsyncDisposableStack,
  observer: Observer,
  shared?: SharedAnswers,
): Promise<OpenProviders> {
  const own = sandbox?.providers ?? null
  const cache = createResponseCache()
  const open = (options: HttpProviderOptions): HttpProvider => {
    const name = options.urlSetting.replace(/_URL$/, '').toLowerCase()
    const rests = (rest: Rest) => observer.providerRests({ provider: name, ...rest })
    const provider = createHttpProvider({ ...options, cache, rests, ...(shared === undefined ? {} : { shared }) })
    opened.defer(() => provider.close())
    return watchProvider(name, provider, observer)
  }
  const { TVL_URL: tvlUrl, SUBGRAPH_API_KEY: secret, SUBGRAPH_GATEWAY: host } = config
  const tvl = (urlSetting: 'TVL_URL' | 'TVL_PRICES_URL' | 'TVL_POOLS_URL', usual: string) => {
    const url = config[urlSetting] ?? tvlUrl
    const baseUrl = url ?? own?.tvl ?? `https://${usual}`
    const provider = open({ name: 'The TVL provider', urlSetting, baseUrl, secrets: secretsOf(url) })
    return { provider, source: sourceOf('tvlfeed', url, own, usual) }
  }
  const ownSubgraph = own === null ? null : { name: 'The subgraph', urlSetting: 'subgraph', baseUrl: own.subgraph }
  const subgraphUrl = sandbox?.subgraphUrl ?? null
  const { exchange, markets } = openExchange(config, own, open, opened, observer)
  const providers = {
    markets,
    bitcoin: createBitcoinChain(
      open({
        name: 'The Bitcoin provider',
        urlSetting: 'BITCOIN_URL',
        baseUrl: config.BITCOIN_URL ?? own?.bitcoin ?? 'https://blockstream.info/api',
        secrets: secretsOf(config.BITCOIN_URL),
      }),
      sourceOf('bitcoin', config.BITCOIN_URL, own, 'blockstream.info'),
    ),
    tvl: createTvlFeed({
      main: tvl('TVL_URL', 'api.llama.fi'),
      prices: tvl('TVL_PRICES_URL', 'coins.llama.fi'),
      pools: tvl('TVL_POOLS_URL', 'yields.llama.fi'),
    }),
    analytics: openAnalytics(config, own, open),
    subgraphs: watchSubgraphs(
      createSubgraphs({
        own:
          subgraphUrl === null || ownSubgraph === null ? null : { address: subgraphUrl, provider: open(ownSubgraph) },
        key: secret === undefined ? null : { host, secret },
      }),
      subgraphUrl,
      observer,
    ),
  }
  return { providers, exchange }
}

/** Wraps a provider: the observer is notified of each request that reaches it. */
function watchProvider(name: string, provider: HttpProvider, observer: Observer): HttpProvider {
  return {
    ...provider,
    async request(request) {
      let cached = false
      const send = async () => {
        const response = await provider.request(request)
        cached = response.latencyMs === 0
        return response
      }
      return await timed(send, ({ code, seconds }) =>
        observer.providerAnswered({ provider: name, code, cached, seconds }),
      )
    },
  }
}

/** Wraps the subgraphs: the observer is notified of each request to one at a caller's address. */
function watchSubgraphs(subgraphs: Subgraphs, own: string | null, { providerAnswered }: Observer): Subgraphs {
  return {
    query: (address, ...rest) =>
      address === own
        ? subgraphs.query(address, ...rest)
        : timed(
            () => subgraphs.query(address, ...rest),
            ({ code, seconds }) => providerAnswered({ provider: 'foreign subgraph', code, cached: false, seconds }),
          ),
  }
}

function openAnalytics(
  { ANALYTICS_URL: url, ANALYTICS_API_KEY: key }: Config,
  own: ProviderUrls | null,
  open: (options: HttpProviderOptions) => HttpProvider,
): Analytics {
  const isOwn = own !== null && url === undefined
  if (key === undefined && !isOwn) return { run: async () => Promise.reject(missingKey()) }
  const provider = open({
    name: 'The analytics provider',
    urlSetting: 'ANALYTICS_URL',
    keySetting: 'ANALYTICS_API_KEY',
    baseUrl: url ?? own?.analytics ?? 'https://api.dune.com/api',
    ...(key === undefined ? {} : { headers: { 'x-dune-api-key': key } }),
    secrets: [...(key === undefined ? [] : [key]), ...secretsOf(url)],
  })
  return createAnalytics(provider, sourceOf('analytics', url, own, 'api.dune.com'))
}

function openExchange(
  { EXCHANGE_URL: url, EXCHANGE_STREAM_URL: streamUrl }: Config,
  own: ProviderUrls | null,
  open: (options: HttpProviderOptions) => HttpProvider,
  opened: AsyncDisposableStack,
  { exchangeLost }: Observer,
): { exchange: Exchange; markets: MarketData } {
  const rest = url ?? own?.exchange
  const stream = streamUrl ?? rest?.replace(/^http/, 'ws') ?? 'wss://data-stream.binance.vision'
  const socket = createStreamSocket({
    url: stream.replace(/\/+$/, ''),
    lost: (reason) => exchangeLost({ reason }),
  })
  opened.defer(() => socket.close())
  const provider = open({
    name: 'The exchange',
    urlSetting: 'EXCHANGE_URL',
    baseUrl: rest ?? 'https://data-api.binance.vision',
    secrets: secretsOf(url),
  })
  const source = sourceOf('exchange', url, own, 'data-api.binance.vision')
  return { exchange: createExchange(provider, socket, source), markets: createMarketData(provider, source) }
}

function missingKey(): DomainError {
  return new DomainError(
    'UNAVAILABLE',
    'The analytics provider requires a key. The operator must set ANALYTICS_API_KEY.',
  )
}

/** The `source` in every result: the provider, and its host or that it is the sandbox. */
function sourceOf(part: string, url: string | undefined, own: ProviderUrls | null, usual: string): string {
  if (url === undefined) return `${part} (${own === null ? usual : 'sandbox'})`
  return `${part} (${new URL(url).hostname})`
}
