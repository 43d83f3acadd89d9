import { cpSync } from 'node:fs'
import { readConfig } from '../src/settings/config.ts'
import { type Application, openApplication } from '../src/wiring/application.ts'
import { openObserver } from '../src/wiring/open-observer.ts'
import { ordinaryTimes, type Times } from '../src/wiring/open-ports.ts'
import { paidBy } from './accounts.ts'
import type { Protocol } from './clients/client.ts'
import { type Clients, openClients } from './clients/clients.ts'
import { dataFolder } from './data-folder.ts'
import { askEngine } from './engine.ts'
import { freePorts } from './free-ports.ts'
import { operatorToken } from './operator-token.ts'
import { gethSettings, startGethWorld } from './real-node/geth.ts'
import { shared } from './shared.ts'
import { testMarket } from './test-market.ts'

/** What most tests of a world need beside it. */
export { type Account, fundedAccount, newAccount, password } from './accounts.ts'

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
export const unhurriedSettings = {
  RPC_EVM_TIMEOUT_SECONDS: '60',
  ...testMarket,
} as const

/** Settings that make another data folder. */
const ofTheFolder = ['CHAIN_ID', 'CHAIN_RPC_URL', 'DATA_DIR', 'FAUCET_KEY', 'MASTER_KEY']

/**
 * The real gateway in this process, with its embedded chain, on free ports and in a data folder of its own, which is a
 * copy of one that has run for a few blocks, unless other times or settings make another chain. With TEST_NODE=geth its
 * chain is go-ethereum with the same contracts, and new accounts are paid from there.
 */
export async function openWorld(
  overrides: Record<string, string> = {},
  log?: { write(line: string): void },
  times: Partial<Times> = {},
): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const dataDir = overrides.DATA_DIR ?? opened.use(dataFolder()).path
  const isOther = ofTheFolder.some((name) => name in overrides) || times.blockTimeSeconds !== undefined
  const isOnGeth = process.env.TEST_NODE === 'geth' && !('CHAIN_RPC_URL' in overrides)
  if (isOnGeth && isOther) throw new Error('A test that makes a chain of its own does not run on go-ethereum.')
  const geth = isOnGeth ? opened.use(await startGethWorld()) : null
  if (geth === null && !isOther) cpSync(await shared('data-folder'), dataDir, { recursive: true })
  const free = {
    ...freePorts,
    ...unhurriedSettings,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'silent',
    OPERATOR_TOKEN: operatorToken,
  }
  const chain = geth === null ? {} : gethSettings(geth, { dir: dataDir, url: geth.url })
  const config = readConfig({ ...free, DATA_DIR: dataDir, ...chain, ...overrides })
  const observer = opened.use(await openObserver(config, log))
  const application = opened.use(await openApplication(config, observer, { ...unhurried, ...times }))
  const clients = opened.use(openClients(application.listening))
  if (geth !== null) paidBy(clients, geth.give)
  const resources = opened.move()
  return {
    urls: application.listening,
    clients,
    askChain: (method, params) => (geth === null ? askEngine(dataDir, method, params) : geth.call(method, ...params)),
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
