import { mkdirSync } from 'node:fs'
import { createCaptcha } from '../adapters/accounts/captcha.ts'
import { createPasswords } from '../adapters/accounts/passwords.ts'
import { openTokens } from '../adapters/accounts/tokens.ts'
import { bitcoinCodec } from '../adapters/bitcoin/codec.ts'
import { joinChains } from '../adapters/chain/chains.ts'
import { openPublicChain, readDeployment } from '../adapters/chain/public-chain.ts'
import { explorerSource } from '../adapters/explorer/source.ts'
import { openAccounts } from '../adapters/storage/accounts/accounts.ts'
import { openHalts } from '../adapters/storage/accounts/halts.ts'
import { openMarketSubscriptions } from '../adapters/storage/accounts/market-subscriptions.ts'
import { openSessions } from '../adapters/storage/accounts/sessions.ts'
import { openWalletPolicies } from '../adapters/storage/accounts/wallet-policies.ts'
import { openWallets } from '../adapters/storage/accounts/wallets.ts'
import { openChatStreams } from '../adapters/storage/chat/chat-streams.ts'
import { openMessages } from '../adapters/storage/chat/messages.ts'
import { openOffers } from '../adapters/storage/chat/offers.ts'
import { type Database, openDatabase } from '../adapters/storage/connection/database.ts'
import { openFaucetClaims } from '../adapters/storage/node/faucet-claims.ts'
import { openNodeFilters } from '../adapters/storage/node/node-filters.ts'
import { openExecutions } from '../adapters/storage/trading/executions.ts'
import { openLedger } from '../adapters/storage/trading/ledger.ts'
import { openOutbox } from '../adapters/storage/trading/outgoing.ts'
import { openQuotes } from '../adapters/storage/trading/quotes.ts'
import { keptSecret } from '../adapters/system/secret-files.ts'
import { nodeHashing, randomIds, systemClock } from '../adapters/system/system.ts'
import { postBooking } from '../domain/books/post-booking.ts'
import { vocabularyOf } from '../domain/intent/vocabulary.ts'
import type { Hex } from '../domain/ports/chains.ts'
import type { Captcha, FaucetSettings } from '../domain/ports/faucet.ts'
import type { Ports } from '../domain/ports/index.ts'
import { parseUnits } from '../domain/values/money.ts'
import type { Observer } from '../observe/observer.ts'
import { timed, watchAssistant, watchExecutions, watchOutbox } from '../observe/watch-ports.ts'
import type { ExplorerSource } from '../protocols/pages/explorer/source.ts'
import type { Config } from '../settings/config.ts'
import { faucetTerms } from '../settings/setting-kinds.ts'
import { callNodes, describeWorld } from './describe-world.ts'
import { openAssistant } from './open-assistant.ts'
import { embeddedChain, grantsOf, openEmbedded } from './open-embedded.ts'
import { openNode, openParentNode } from './open-node.ts'
import { openProviders } from './open-providers.ts'
import { openSender } from './open-sender.ts'
import { openSigner } from './open-signer.ts'
import { tradingSettings } from './trading-settings.ts'

/** The world behind the domain, open: every port, in words what it runs on, and what its health says. */
export type World = AsyncDisposable & {
  ports: Ports
  /** The ports of the embedded parent chain's methods; null beside a public chain. */
  parentPorts: Ports | null
  runsOn: string[]
  explorer: ExplorerSource
  checks(): Promise<Record<string, string>>
}

/**
 * Opens every adapter that the configuration asks for, and takes up what the last process left unfinished. The public
 * URL is asked for only when it is shown, for it may be known only once the gateway listens.
 */
export async function openPorts(config: Config, observer: Observer, publicUrl: () => string): Promise<World> {
  await using opened = new AsyncDisposableStack()
  makeDataDir(config.DATA_DIR)
  const treasuryKey = treasuryKeyOf(config)
  const [nodes, sandbox, opening] = await Promise.all([
    callNodes(config),
    !config.sandbox || treasuryKey === null
      ? null
      : openEmbedded(config, treasuryKey, observer).then((world) => opened.use(world)),
    openDatabase({ url: config.DATABASE_URL ?? null, dataDir: config.DATA_DIR }).then((base) => opened.use(base)),
  ])
  const database = watchDatabase(opening, observer)
  const background = (task: string, triesAgain: boolean) => (error: unknown) =>
    observer.background({ task, error, triesAgain })
  const { exchange, providers, subgraphUrl } = await openProviders(config, sandbox, opened, observer)
  const node = await openNode(config, sandbox, opened, observer)
  const chains = joinChains([
    sandbox === null
      ? await openPublicChain({ chainId: config.CHAIN_ID, node: node.node, tableFile: config.CHAIN_TABLE })
      : embeddedChain(sandbox, node.node, publicUrl, subgraphUrl),
  ])
  const trading = tradingSettings(config, chains, publicUrl)
  for (const { info, onBlock } of chains.all)
    opened.defer(onBlock(({ timestamp }) => observer.newBlock({ chain: String(info.id), at: Number(timestamp) })))
  const wallets = openWallets(database)
  const stored = {
    accounts: openAccounts(database),
    chatStreams: openChatStreams(database),
    executions: watchExecutions(openExecutions(database), observer),
    faucetClaims: openFaucetClaims(database),
    halts: openHalts(database),
    ledger: openLedger(database, postBooking),
    marketSubscriptions: openMarketSubscriptions(database),
    messages: openMessages(database),
    nodeFilters: openNodeFilters(database, config.CHAIN_ID),
    offers: openOffers(database),
    outbox: watchOutbox(openOutbox(database), observer),
    quotes: openQuotes(database),
    sessions: openSessions(database),
    walletPolicies: openWalletPolicies(database),
    wallets,
  }
  const system = { clock: systemClock, hashing: nodeHashing, ids: randomIds }
  const signer = opened.use(await openSigner(config, treasuryKey, wallets))
  const grants = sandbox === null ? null : grantsOf(config.CHAIN_ID, sandbox)
  const sender = openSender({ ...stored, ...system, chains, grants, signer }, background('sender', true))
  opened.defer(() => sender.close())
  await stored.chatStreams.failAbandoned(new Date())
  await sender.resume()
  const ports: Ports = {
    ...stored,
    ...system,
    ...node,
    assistant: watchAssistant(
      await openAssistant(config, vocabularyOf(chains), background('assistant', false)),
      observer,
    ),
    bitcoin: bitcoinCodec,
    captcha: captchaOf(config, observer),
    chains,
    exchange,
    faucetSettings: faucetSettings(config),
    grants,
    passwords: createPasswords(),
    providers,
    sender,
    signer,
    tokens: openTokens({ dataDir: config.DATA_DIR, clock: systemClock }),
    tradingSettings: trading,
  }
  const parent =
    sandbox === null
      ? null
      : {
          ...(await openParentNode(sandbox, opened)),
          nodeFilters: openNodeFilters(database, sandbox.parent.chainId),
        }
  const resources = opened.move()
  return {
    ports,
    parentPorts: parent === null ? null : { ...ports, ...parent },
    runsOn: [...describeWorld(config, database.dialect, chains.default.info, ports.assistant.model), ...nodes],
    // Through the node's own methods, so that what bounds an answer there bounds a page too.
    explorer: explorerSource(
      ({ method, params }) => ports.node.request(method, params, neverAborts),
      sandbox === null ? readDeployment(config.CHAIN_ID, config.CHAIN_TABLE) : sandbox.deployment,
    ),
    async checks() {
      const [chain, storage] = await Promise.all([stateOf(chains.default.head()), stateOf(stored.halts.list())])
      return { chain, storage }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The same database; the observer hears of each transaction. */
function watchDatabase(database: Database, observer: Observer): Database {
  return { ...database, transaction: (work) => timed(() => database.transaction(work), observer.transactionEnded) }
}

const neverAborts = new AbortController().signal

function makeDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Error(`DATA_DIR ${path} cannot be made; name a folder that may be written.`, { cause })
  }
}

async function stateOf(asked: Promise<unknown>): Promise<string> {
  return await asked.then(
    () => 'ok',
    () => 'does not answer',
  )
}

/** The key that pays the faucet, and in the sandbox new wallets too. */
function treasuryKeyOf({ DATA_DIR, faucetKey, sandbox }: Config): Hex | null {
  if (sandbox) return `0x${keptSecret(DATA_DIR, 'treasury.key')}`
  return faucetKey as Hex | null // its schema has checked it
}

function captchaOf({ CAPTCHA_VERIFY_URL: url, CAPTCHA_SECRET: secret }: Config, observer: Observer): Captcha | null {
  if (url === undefined || secret === undefined) return null
  const failed = (error: unknown) => observer.background({ task: 'captcha', error, triesAgain: false })
  return createCaptcha({ url, secret, failed })
}

function faucetSettings(config: Config): FaucetSettings {
  const rule = config.rateRules === 'off' ? null : config.rateRules.faucet
  return {
    amount: parseUnits(config.FAUCET_AMOUNT, 18, 'FAUCET_AMOUNT'),
    cooldownMs: config.FAUCET_COOLDOWN_SECONDS * 1_000,
    tiers: Object.fromEntries(
      faucetTerms(config.FAUCET_TIERS).map(({ tier, amount, seconds }) => [
        tier,
        { amount: parseUnits(amount, 18, 'FAUCET_TIERS'), cooldownMs: seconds * 1_000 },
      ]),
    ),
    perCaller: rule === null ? null : { claims: rule.limit, windowMs: rule.windowSeconds * 1_000 },
    dailyCap: parseUnits(config.FAUCET_DAILY_CAP, 18, 'FAUCET_DAILY_CAP'),
    patienceMs: 20_000,
  }
}
