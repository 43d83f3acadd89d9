import { createCaptcha } from '../adapters/accounts/captcha.ts'
import { createPasswords } from '../adapters/accounts/passwords.ts'
import { openTokens } from '../adapters/accounts/tokens.ts'
import { unlessAborted } from '../adapters/async/single-flight.ts'
import { bitcoinCodec } from '../adapters/bitcoin/codec.ts'
import { openPublicChain, readDeployment } from '../adapters/chain/public-chain.ts'
import { joinChains } from '../adapters/chain/viem-chain.ts'
import { explorerSource } from '../adapters/explorer/source.ts'
import { createGuesses } from '../adapters/limits/guesses.ts'
import { openLimits } from '../adapters/limits/open-limits.ts'
import type { NodeClient } from '../adapters/node/chain-node.ts'
import { openAccounts } from '../adapters/storage/accounts/accounts.ts'
import { openFinalBlocks } from '../adapters/storage/accounts/final-blocks.ts'
import { openChainHalts, openHalts } from '../adapters/storage/accounts/halts.ts'
import { openKnownAddresses } from '../adapters/storage/accounts/known-addresses.ts'
import { openMarketSubscriptions } from '../adapters/storage/accounts/market-subscriptions.ts'
import type { Pins } from '../adapters/storage/accounts/pins.ts'
import { openSessions } from '../adapters/storage/accounts/sessions.ts'
import { openWalletPolicies } from '../adapters/storage/accounts/wallet-policies.ts'
import { openWallets } from '../adapters/storage/accounts/wallets.ts'
import { openChatStreams } from '../adapters/storage/chat/chat-streams.ts'
import { openMessages } from '../adapters/storage/chat/messages.ts'
import { openOffers } from '../adapters/storage/chat/offers.ts'
import { openWorkers } from '../adapters/storage/connection/account-locks.ts'
import { type Database, openDatabase } from '../adapters/storage/connection/database.ts'
import { openFaucetClaims } from '../adapters/storage/node/faucet-claims.ts'
import { openNodeFilters } from '../adapters/storage/node/node-filters.ts'
import { openAccountFeed } from '../adapters/storage/trading/account-feed.ts'
import { openExecutions } from '../adapters/storage/trading/executions.ts'
import { openLedger } from '../adapters/storage/trading/ledger.ts'
import { openOutbox } from '../adapters/storage/trading/outgoing.ts'
import { openQuotes } from '../adapters/storage/trading/quotes.ts'
import { storedSecret } from '../adapters/system/secret-files.ts'
import { nodeHashing, randomIds, systemClock } from '../adapters/system/system.ts'
import { postBooking } from '../domain/books/post-booking.ts'
import { chainWithin } from '../domain/core/chain-within.ts'
import { readHeadAge } from '../domain/core/head-age.ts'
import { vocabularyOf } from '../domain/intent/reading/vocabulary.ts'
import type { Chains, Hex } from '../domain/ports/chains.ts'
import type { ChatStreams } from '../domain/ports/conversations.ts'
import type { Captcha, FaucetSettings } from '../domain/ports/faucet.ts'
import type { Ports } from '../domain/ports/index.ts'
import type { Limiter } from '../domain/ports/limiter.ts'
import type { TradingTimes } from '../domain/ports/trade-policy.ts'
import { parseUnits } from '../domain/values/money.ts'
import { timeLimit } from '../kit/time-limit.ts'
import { neverAborts } from '../kit/values.ts'
import type { Observer } from '../observe/observer.ts'
import { timed, watchAssistant, watchExecutions, watchOutbox } from '../observe/watch-ports.ts'
import type { ExplorerSource } from '../protocols/pages/explorer/source.ts'
import type { Config } from '../settings/config.ts'
import { faucetTerms } from '../settings/setting-kinds.ts'
import { callNodes, describeWorld } from './describe-world.ts'
import { openAssistant } from './open-assistant.ts'
import { openNode, openParentNode } from './open-node.ts'
import { openProviders } from './open-providers.ts'
import { openSender } from './open-sender.ts'
import { openSigner } from './open-signer.ts'
import { runningAnswers } from './running-answers.ts'
import { makeDataDir } from './sandbox/make-data-dir.ts'
import {
  type BlockTimes,
  type EmbeddedWorld,
  embeddedBlockTimes,
  embeddedChain,
  grantsOf,
  openEmbedded,
  sandboxMarketOf,
} from './sandbox/open-embedded.ts'
import { openSecrets, pinChain } from './shared-secrets.ts'
import { tradingSettings, tradingTimes } from './trading-settings.ts'

/** Times that are not settings: between blocks of the embedded chains, and how long trading waits. */
export type Times = BlockTimes & TradingTimes

export const ordinaryTimes: Times = { ...embeddedBlockTimes, ...tradingTimes }

/** The opened ports of the domain, and what the pages and start-up show of them. */
export type World = AsyncDisposable & {
  ports: Ports
  /** The ports of the embedded parent chain's methods; null with a public chain. */
  parentPorts: Ports | null
  /** Lines that describe chain, storage and assistant. */
  runsOn: string[]
  explorer: ExplorerSource
  /** Counts requests, together with the other processes of the gateway. */
  limiter: Limiter
  /** Settles once no answer of a chat is being written here. */
  answersWritten(): Promise<void>
  /** The health of each part: `ok`, or a short reason. */
  checks(): Promise<Record<string, string>>
}

/** A process may judge which others are dead after it has lived for two seconds itself. */
const judgesAfterMs = 3_000

/** Fails the answers of processes that died: where this one may not judge that yet, in a moment. Returns what ends it. */
async function failAbandoned(streams: ChatStreams, failed: (error: unknown) => void): Promise<() => Promise<void>> {
  await streams.failAbandoned(new Date())
  let later = Promise.resolve()
  const timer = setTimeout(() => {
    later = streams.failAbandoned(new Date()).then(() => undefined, failed)
  }, judgesAfterMs).unref()
  return async () => {
    clearTimeout(timer)
    await later
  }
}

/**
 * Opens every configured adapter, and resumes what the previous process left unfinished. `publicUrl` is called only when
 * the URL is shown, because it may be known only once the gateway listens.
 */
export async function openPorts(
  config: Config,
  observer: Observer,
  publicUrl: () => string,
  times: Times,
): Promise<World> {
  await using opened = new AsyncDisposableStack()
  makeDataDir(config.DATA_DIR)
  const treasuryKey = treasuryKeyOf(config)
  const [nodes, sandbox, opening] = await Promise.all([
    callNodes(config),
    openEmbedded(config, { treasuryKey, observer, blockTimes: times, opened }),
    openDatabase({ url: config.DATABASE_URL ?? null, dataDir: config.DATA_DIR }, observer.database).then((base) =>
      opened.use(base),
    ),
  ])
  const database = watchDatabase(opening, observer)
  const { stores, pins, seal, written } = await openStored(database, config, observer, opened)
  const background = (task: string, triesAgain: boolean) => (error: unknown) =>
    observer.background({ task, error, triesAgain })
  const limits = await openLimits(config, database, opened, observer.redisOutage)
  const { exchange, providers } = await openProviders(config, sandbox, opened, observer, limits.answers)
  const { nodeNotes, ...node } = await openNode(config, sandbox, opened, observer)
  await pinChains(pins, config, node.node, sandbox)
  const chains = joinChains(await openChainOf(config, node.node, sandbox, publicUrl))
  const trading = tradingSettings(config, chains, times, publicUrl) // an invalid limit fails before anything is sent
  for (const { info, onBlock } of chains.all)
    opened.defer(onBlock(({ timestamp }) => observer.newBlock({ chain: String(info.id), at: Number(timestamp) })))
  const system = { clock: systemClock, hashing: nodeHashing, ids: randomIds }
  const treasury = { treasuryKey, treasury: sandbox?.treasury ?? undefined }
  const signer = opened.use(openSigner(config, treasury, stores.wallets, seal))
  const grants = sandbox === null ? null : grantsOf(config.CHAIN_ID, sandbox)
  const sending = { ...stores, ...system, chains, grants, signer, tradingSettings: trading }
  const sender = openSender(sending, background('sender', true), {
    messageDays: config.MESSAGE_DAYS,
    takesSteps: config.ROLES.includes('worker'),
    halted: ({ info }, reason) => observer.chainHalted({ chain: String(info.id), reason }),
  })
  opened.defer(() => sender.close())
  opened.defer(await failAbandoned(stores.chatStreams, background('answers of dead processes', false)))
  await sender.resume()
  const assistant = await openAssistant(config, vocabularyOf(chains), background('assistant', false))
  const ports: Ports = {
    ...stores,
    ...system,
    ...node,
    assistant: watchAssistant(assistant, observer),
    bitcoin: bitcoinCodec,
    captcha: captchaOf(config, observer),
    chains,
    exchange,
    faucetSettings: faucetSettings(config),
    grants,
    passwords: createPasswords(createGuesses(config.rateRules, limits.ofGuesses, systemClock)),
    providers,
    sandboxMarket: sandbox && sandboxMarketOf(sandbox),
    sender,
    signer,
    tokens: openTokens({ dataDir: config.DATA_DIR, clock: systemClock, secrets: config.TOKEN_SECRET }),
    tradingSettings: trading,
  }
  const parentPorts = sandbox === null ? null : await openParentPorts({ ports, sandbox, database, opened, observer })
  const world = await describeWorld(config, database.dialect, chains.default, assistant.model)
  const resources = opened.move()
  return {
    ports,
    parentPorts,
    runsOn: [...world, ...(sandbox?.notes ?? []), ...limits.notes, ...nodes, ...nodeNotes()],
    limiter: limits.limiter,
    // Through the methods of the node, so that their limits hold for pages too.
    explorer: explorerSource(
      (method, ...params) => ports.node.request(method, params, neverAborts),
      sandbox === null ? readDeployment(config.CHAIN_ID, config.CHAIN_TABLE) : sandbox.deployment,
    ),
    answersWritten: written,
    checks: async () => ({ ...(await statesOf(chains, stores)), ...limits.states() }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The tables, once what replicas share is known to be the same. */
async function openStored(database: Database, config: Config, observer: Observer, opened: AsyncDisposableStack) {
  const { written, ...stores } = openStores(database, config, observer)
  opened.use(stores.sessions)
  return { stores, written, ...opened.use(await openSecrets(config, database, stores.wallets, observer)) }
}

async function openChainOf(
  { CHAIN_ID: chainId, CHAIN_TABLE: tableFile }: Config,
  node: NodeClient,
  sandbox: EmbeddedWorld | null,
  publicUrl: () => string,
) {
  return sandbox === null
    ? await openPublicChain({ chainId, node, tableFile })
    : embeddedChain(sandbox, node, publicUrl)
}

/** Throws where the chain, or the embedded parent chain, is not the one that the database knows. */
async function pinChains(
  pins: Pins,
  { CHAIN_ID }: Config,
  node: NodeClient,
  sandbox: EmbeddedWorld | null,
): Promise<void> {
  await pinChain(pins, CHAIN_ID, async (...call) => await node.direct(...call, timeLimit(pinMs)))
  if (sandbox === null) return
  const { chainId, request } = sandbox.parent
  await pinChain(pins, chainId, async (method, params) => await request({ method, params }))
}

/** The ports that are tables of the database, and when the answers are written. */
function openStores(database: Database, { ACCOUNT_STORAGE_MB, CHAIN_ID }: Config, observer: Observer) {
  return {
    accountFeed: openAccountFeed(database),
    accounts: openAccounts(database),
    chainHalts: openChainHalts(database),
    ...runningAnswers(openChatStreams(database, undefined, ACCOUNT_STORAGE_MB * 1_048_576)),
    executions: watchExecutions(openExecutions(database), observer),
    faucetClaims: openFaucetClaims(database),
    finalBlocks: openFinalBlocks(database),
    halts: openHalts(database),
    knownAddresses: openKnownAddresses(database, (error) =>
      observer.background({ task: 'known addresses', error, triesAgain: true }),
    ),
    ledger: openLedger(database, postBooking),
    marketSubscriptions: openMarketSubscriptions(database),
    messages: openMessages(database),
    nodeFilters: openNodeFilters(database, CHAIN_ID),
    offers: openOffers(database),
    outbox: watchOutbox(openOutbox(database), observer),
    quotes: openQuotes(database),
    sessions: openSessions(database),
    walletPolicies: openWalletPolicies(database),
    wallets: openWallets(database),
    workers: openWorkers(database),
  }
}

/** The ports over the embedded parent chain, with separate node filters. */
async function openParentPorts(world: {
  ports: Ports
  sandbox: EmbeddedWorld
  database: Database
  opened: AsyncDisposableStack
  observer: Observer
}): Promise<Ports> {
  const { ports, sandbox, database, opened, observer } = world
  return {
    ...ports,
    ...(await openParentNode(sandbox, opened, observer)),
    nodeFilters: openNodeFilters(database, sandbox.parent.chainId),
  }
}

/** Wraps the database: the observer is notified of each transaction. */
function watchDatabase(database: Database, observer: Observer): Database {
  return { ...database, transaction: (work) => timed(() => database.transaction(work), observer.transactionEnded) }
}

/** Milliseconds that reading the first block of a chain may take. */
const pinMs = 10_000

/** Whoever asks for readiness gives up after a second or two, and takes a late answer for none. */
const checkMs = 600

type Stored = Pick<Ports, 'halts' | 'workers'>

/** The state of each checked part. */
async function statesOf(chains: Chains, { halts, workers }: Stored): Promise<Record<string, string>> {
  const isManned = unlessAborted(workers.isManned(), timeLimit(checkMs)).catch(() => true) // storage says why
  const [chain, storage] = await Promise.all([stateOfHead(chains.default), stateOf(halts.list())])
  return { chain, storage, ...((await isManned) ? {} : { worker: 'none runs: trades wait for one' }) }
}

async function stateOfHead(chain: Chains['default']): Promise<string> {
  const age = await readHeadAge(chainWithin(chain, timeLimit(checkMs)), systemClock)
  if (age === null) return 'does not respond'
  return age.isStale ? `the newest block is ${age.seconds} s old` : 'ok'
}

async function stateOf(read: Promise<unknown>): Promise<string> {
  return await unlessAborted(read, timeLimit(checkMs)).then(
    () => 'ok',
    () => 'does not respond',
  )
}

/** The key that pays the faucet, and in the sandbox also new wallets; null where there is none in this process. */
function treasuryKeyOf({ DATA_DIR, SANDBOX_URL, faucetKey, sandbox }: Config): Hex | null {
  if (SANDBOX_URL !== undefined) return null
  if (sandbox) return `0x${storedSecret(DATA_DIR, 'treasury.key')}`
  return faucetKey as Hex | null // the schema of the setting has validated it
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
    waitMs: 20_000,
  }
}
