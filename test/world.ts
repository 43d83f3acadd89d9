import { cpSync } from 'node:fs'
import { readConfig } from '../src/settings/config.ts'
import { type Application, openApplication } from '../src/wiring/application.ts'
import { openObserver } from '../src/wiring/open-observer.ts'
import { ordinaryTimes, type Times } from '../src/wiring/open-ports.ts'
import { type Client, output, type Protocol } from './clients/client.ts'
import { type Clients, openClients } from './clients/clients.ts'
import { dataFolder } from './data-folder.ts'
import { askEngine } from './engine.ts'
import { freePorts } from './free-ports.ts'
import { operatorToken } from './operator-token.ts'
import { shared } from './shared.ts'

export const protocols: readonly Protocol[] = ['rest', 'trpc', 'grpc']

export type World = AsyncDisposable & {
  urls: Application['listening']
  clients: Clients
  /** Calls the chain's engine directly, not through the gateway: what is true on the chain. */
  askChain(method: string, params: unknown[]): Promise<unknown>
}

/**
 * Half of the block times of a gateway that an operator starts, since most tests wait for blocks. Everything else has so
 * much time that a busy machine decides no test that is about something else.
 */
export const unhurried: Times = {
  ...ordinaryTimes,
  blockTimeSeconds: 1,
  quoteLifetimeMs: 600_000,
  timeoutMs: 90_000,
  fundingTimeoutMs: 90_000,
}

/** The same for settings. */
export const unhurriedSettings = { RPC_EVM_TIMEOUT_SECONDS: '60' } as const

/** Settings that make another data folder. */
const ofTheFolder = ['CHAIN_ID', 'CHAIN_RPC_URL', 'DATA_DIR', 'FAUCET_KEY', 'MASTER_KEY']

/**
 * The real gateway in this process, with its embedded chain, on free ports and in a data folder of its own, which is a
 * copy of one that has run for a few blocks, unless other times or settings make another chain.
 */
export async function openWorld(
  overrides: Record<string, string> = {},
  log?: { write(line: string): void },
  times: Partial<Times> = {},
): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const dataDir = overrides.DATA_DIR ?? opened.use(dataFolder()).path
  const isOther = ofTheFolder.some((name) => name in overrides) || times.blockTimeSeconds !== undefined
  if (!isOther) cpSync(await shared('data-folder'), dataDir, { recursive: true })
  const free = {
    ...freePorts,
    ...unhurriedSettings,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'silent',
    OPERATOR_TOKEN: operatorToken,
  }
  const config = readConfig({ ...free, DATA_DIR: dataDir, ...overrides })
  const observer = opened.use(await openObserver(config, log))
  const application = opened.use(await openApplication(config, observer, { ...unhurried, ...times }))
  const clients = opened.use(openClients(application.listening))
  const resources = opened.move()
  return {
    urls: application.listening,
    clients,
    askChain: (method, params) => askEngine(dataDir, method, params),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

let ofWorker: Promise<World> | null = null

/**
 * One world for the files that a worker runs, for tests that neither halt trading, nor stop the chain, nor need other
 * settings. Each uses accounts of its own. It ends with the worker: disposing of it does nothing.
 */
export async function sharedWorld(): Promise<World> {
  ofWorker ??= openWorld()
  ofWorker.catch(() => {
    ofWorker = null
  })
  return { ...(await ofWorker), [Symbol.asyncDispose]: async () => undefined }
}

export const password = 'correct horse battery'

/** A registered user with one session, and what a trader needs to know of the chain. */
export type Account = Awaited<ReturnType<typeof newAccount>>

/** Registers a user and opens a session over the client. The wallet's money may still be on its way. */
export async function newAccount(client: Client) {
  const email = `${crypto.randomUUID()}@example.com`
  const user = await output(client.call('auth.register', { email, password }))
  const userToken: string = user.token.access_token
  const session = await output(client.call('auth.createSession', {}, userToken))
  const token: string = session.token.access_token
  const [chain] = await output(client.call('trading.listChains', {}, token))
  const [wallet] = await output(client.call('trading.listWallets', {}, token))
  const native = { symbol: 'ETH', address: `0x${'0'.repeat(40)}` }
  const address = (symbol: string): string =>
    [native, ...chain.tokens].find((item: { symbol: string }) => item.symbol === symbol).address
  const swap = (from: string, to: string, amount_in: string, slippage_bps = 50) => ({
    chain_id: chain.chain_id as number,
    token_in_address: address(from),
    token_out_address: address(to),
    amount_in,
    amount_in_currency: 'token_units',
    slippage_bps,
  })
  return {
    email,
    userToken,
    token,
    sessionId: session.session_id as string,
    wallet: wallet.address as string,
    swap,
    address,
    /** A real trade from the default wallet. */
    trade: (from: string, to: string, amount: string, key: string, more: object = {}) => ({
      input: { ...swap(from, to, amount), simulate_only: false },
      confirm: true,
      wallet_ref: 'default',
      idempotency_key: key,
      ...more,
    }),
  }
}

/** Registers an account like `newAccount`, and waits until its wallet has the starting money. */
export async function fundedAccount(client: Client): Promise<Account> {
  const account = await newAccount(client)
  const trial = { input: { ...account.swap('WETH', 'USDC', '0.001') }, wallet_ref: 'default' }
  const { status, message } = await output(client.call('trading.execute', trial, account.token))
  if (status !== 'simulated') throw new Error(`The wallet of ${account.email} has no starting money: ${message}`)
  return account
}
