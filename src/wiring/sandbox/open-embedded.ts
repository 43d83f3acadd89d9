import { join } from 'node:path'
import { bitcoinCodec } from '../../adapters/bitcoin/codec.ts'
import type { TradingNode } from '../../adapters/chain/reads/connection.ts'
import { openChain } from '../../adapters/chain/viem-chain.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { Chain, Hex } from '../../domain/ports/chains.ts'
import type { SandboxMarket } from '../../domain/ports/market.ts'
import type { Sequencing } from '../../domain/ports/node.ts'
import type { Grants } from '../../domain/ports/wallets.ts'
import type { Observer } from '../../observe/observer.ts'
import { watchCalls } from '../../observe/watch-ports.ts'
import type { ChainEvent, SandboxEvent } from '../../sandbox/kit/events.ts'
import { priceRange } from '../../sandbox/market/clock.ts'
import type { MarketState } from '../../sandbox/market/open-market.ts'
import { openSandboxProviders, type ProviderUrls, providerUrls } from '../../sandbox/providers/open.ts'
import { openRemoteSandbox, type SandboxWorld } from '../../sandbox/service/remote.ts'
import type { Treasury } from '../../sandbox/service/treasury.ts'
import { openSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/world.ts'
import type { Config } from '../../settings/config.ts'
import { notListening } from './not-listening.ts'

/** Times between blocks of the embedded chains. They are not settings, since the genesis of a data folder has them. */
export type BlockTimes = Pick<SandboxOptions, 'blockTimeSeconds' | 'parentBlockTimeSeconds'>

export const embeddedBlockTimes: BlockTimes = { blockTimeSeconds: 2 }

/** The embedded world as a gateway uses it, in its own process or in that of `npm run sandbox`. */
export type EmbeddedWorld = SandboxWorld & {
  /** The base URL of each provider, with a login where the sandbox demands one. */
  providers: ProviderUrls
  /** The address of the subgraph as callers see it. */
  subgraphUrl: string
  /** Signs for the account that funds wallets; null where the gateway has its key. */
  treasury: Treasury | null
  /** What the banner says of its market. */
  notes: string[]
}

type OwnOptions = { treasuryKey: Hex; observer: Observer; blockTimes: BlockTimes }
type EmbeddedOptions = Omit<OwnOptions, 'treasuryKey'> & { treasuryKey: Hex | null; opened: AsyncDisposableStack }

/**
 * Opens the embedded world in this process, or connects to the one that SANDBOX_URL names; null with a public chain. The
 * observer is notified of its events, and of each call of its rollup.
 */
export async function openEmbedded(
  config: Config,
  { treasuryKey, observer, opened, ...options }: EmbeddedOptions,
): Promise<EmbeddedWorld | null> {
  if (!config.sandbox) return null
  if (config.SANDBOX_URL !== undefined) return await connectEmbedded(config, config.SANDBOX_URL, observer, opened)
  if (treasuryKey === null) throw new Error('An embedded world needs the key of its treasury')
  const sandbox = opened.use(await openOwnSandbox(config, { treasuryKey, observer, ...options }))
  const failed = (error: unknown) => observer.background({ task: 'sandbox providers', error, triesAgain: true })
  const providers = await openSandboxProviders({
    ...providersOf(config, sandbox, failed),
    port: config.PROVIDERS_PORT,
  }).catch(notListening('PROVIDERS_PORT', config))
  opened.use(providers)
  return {
    ...sandbox,
    request: watchCalls(observer)(sandbox.request),
    sequencing: sequencingOf(sandbox),
    hands: {
      setPrice: async (asset, usd) => sandbox.market.setPrice(asset, usd),
      setRunning: async (change) => sandbox.market.setRunning(change),
    },
    providers,
    subgraphUrl: providers.subgraph,
    treasury: null,
    notes: [describeMarket(sandbox)],
  }
}

/** How the prices of a sandbox move, in a line for its operator. */
export function describeMarket({ market }: Sandbox): string {
  const { mode, speed } = market.running()
  if (mode === 'still') return 'Market: prices stand still, by SANDBOX_MARKET or operator.setSandboxMarket'
  return `Market: prices move ${speed} times as fast as real ones; SANDBOX_SEED=${market.seed} repeats them in an empty DATA_DIR`
}

/** The sandbox of this process, whose data folder no other process uses. */
export async function openOwnSandbox(
  config: Config,
  { treasuryKey, observer, blockTimes }: OwnOptions,
): Promise<Sandbox> {
  return await openSandbox({
    dataDir: config.DATA_DIR,
    chainId: config.CHAIN_ID,
    ...blockTimes,
    treasuryKey,
    market: { mode: config.SANDBOX_MARKET, speed: config.SANDBOX_SPEED, seed: config.SANDBOX_SEED },
    reads: { gas: config.RPC_GAS_CAP, seconds: config.RPC_EVM_TIMEOUT_SECONDS },
    onEvent: embeddedEvents(observer),
  })
}

/** What the providers of a sandbox are opened with. */
export function providersOf(
  config: Config,
  { request, deployment, market }: Sandbox,
  failed: (error: unknown) => void,
) {
  const path = join(config.DATA_DIR, 'chain', 'providers.sock')
  return {
    request,
    codec: bitcoinCodec,
    chainId: config.CHAIN_ID,
    firstBlock: deployment.first_traded_block ?? 0,
    prices: market,
    arbitrageur: market.arbitrageur,
    // The operating system refuses longer socket paths.
    controlPath: Buffer.byteLength(path) > 100 ? null : path,
    marksFile: join(config.DATA_DIR, 'chain', 'bitcoin-marks.json'),
    failed,
  }
}

function sequencingOf({ sequencer }: Sandbox): Sequencing {
  return {
    async start() {
      sequencer.start()
      return sequencer.running()
    },
    async stop() {
      sequencer.stop()
      return sequencer.running()
    },
  }
}

/** Connects to the world that another process serves. Throws an Error that says what to do where it cannot be used. */
async function connectEmbedded(
  config: Config,
  url: string,
  observer: Observer,
  opened: AsyncDisposableStack,
): Promise<EmbeddedWorld> {
  const token = config.SANDBOX_TOKEN ?? null
  const emit = embeddedEvents(observer)
  const world = opened.use(
    await openRemoteSandbox({ url, token, emit: (event) => emit({ ...event, chain: 'rollup' }) }),
  )
  const withLogin = new URL(url)
  if (token !== null) Object.assign(withLogin, { username: 'sandbox', password: token })
  return {
    ...world,
    request: watchCalls(observer)(world.request),
    providers: providerUrls(withLogin.href.replace(/\/$/, '')),
    subgraphUrl: providerUrls(url).subgraph,
    notes: [],
  }
}

function embeddedEvents(observer: Observer): (event: SandboxEvent) => void {
  return ({ type, ...details }) => observer.chain({ event: type, severity: severities[type], ...details })
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
  'sandbox-back': 'info',
  'sandbox-lost': 'warn',
  'sandbox-replaced': 'warn',
  'snapshot-failed': 'warn',
  'snapshot-unusable': 'warn',
  'snapshot-written': 'debug',
  'transaction-dropped': 'warn',
}

/** The rollup of the embedded world, over the client of its node, as a chain to trade on. */
export function embeddedChain(
  { deployment, subgraphUrl }: EmbeddedWorld,
  node: TradingNode,
  publicUrl: () => string,
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

/** The hands on the market of the embedded world, as the domain has them; UNAVAILABLE while its process is away. */
export function sandboxMarketOf({ hands }: EmbeddedWorld): SandboxMarket {
  const changed = async (change: Promise<MarketState>) => {
    const { at, ...state } = await change.catch((cause: unknown) => {
      throw new DomainError(
        'UNAVAILABLE',
        'The sandbox does not respond. Try again in a moment.',
        { retryAfterSeconds: 1 },
        cause,
      )
    })
    return { ...state, from: new Date(at * 1_000) }
  }
  return {
    range: priceRange,
    setPrice: (asset, usd) => changed(hands.setPrice(asset, usd)),
    setRunning: (change) => changed(hands.setRunning(change)),
  }
}

/** The money that the sandbox gives new wallets, as the domain has it. */
export function grantsOf(chainId: number, { funder }: EmbeddedWorld): Grants {
  return {
    chainId,
    forAccount: (to) => ({ to: funder.address, ...funder.encode(to) }),
    amounts: funder.grants.map(({ address, amount }) => ({ token: address ?? 'native', amount })),
  }
}
