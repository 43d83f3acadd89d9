import { statSync } from 'node:fs'
import { type RollCall, rollCall } from '../adapters/node/public/roll-call.ts'
import type { Chain } from '../domain/ports/chains.ts'
import { engineIsolation } from '../sandbox/engine/isolation.ts'
import type { Config } from '../settings/config.ts'

/** Calls the public nodes of each setting and returns a line for each. Throws an Error where no node of the chain responds. */
export async function callNodes(config: Config): Promise<string[]> {
  const names = (['CHAIN_RPC_URL', 'ROLLUP_RPC_URL', 'L1_RPC_URL'] as const).filter((name) => config[name])
  const calls = await Promise.all(names.map(async (name) => ({ name, ...(await rollCall(config[name] ?? [])) })))
  const chain = calls.find(({ name }) => name === 'CHAIN_RPC_URL')
  if (chain !== undefined && chain.silent.length === chain.total)
    throw new Error(`${lineOf(chain)}. Check the URLs, and whether the nodes run.`)
  return calls.map(lineOf)
}

function lineOf({ name, total, silent }: RollCall & { name: string }): string {
  const line = `${name}: ${total - silent.length} of ${total} respond`
  return silent.length === 0 ? line : `${line}; silent: ${silent.join(', ')}`
}

/** What the gateway runs on: a line for each part that says whether it is embedded or public. */
export async function describeWorld(
  config: Config,
  dialect: string,
  { info }: Pick<Chain, 'info'>,
  model: string,
): Promise<string[]> {
  const chain = `chain ${config.CHAIN_ID}`
  return [
    info.sandbox
      ? `${placeOf(config)}: ${chain} (a sandbox: play money, a block every 2 s)`
      : `Chain: ${chain}, public`,
    dialect === 'sqlite' ? `Embedded: SQLite in ${config.DATA_DIR}` : 'Storage: PostgreSQL',
    describeAssistant(config, model),
    ...(info.sandbox && config.SANDBOX_URL === undefined && (await engineIsolation()).length === 0
      ? [engineInReach]
      : []),
    ...(isOpenToOthers(config.DATA_DIR)
      ? [`Other users of this machine can enter DATA_DIR ${config.DATA_DIR}. Run chmod 700 on it.`]
      : []),
    ...(info.tokens.length > 0
      ? []
      : [`No trading on ${chain}: there is no table of its tokens and venues. Set CHAIN_TABLE.`]),
    ...(info.tokens.length > 0 && info.feedPairs.length === 0 ? [noFeeds(chain)] : []),
    ...(config.tradingEnabled ? [] : ['Trading is off: set TRADING_ENABLED=true, MAX_TRADE_USD and MAX_DAILY_USD.']),
  ]
}

/** Where the sandbox runs. */
function placeOf({ SANDBOX_URL: url }: Config): string {
  return url === undefined ? 'Embedded' : `At ${url}`
}

/** Without prices no trade can be compared with the limits that every real trade has. */
function noFeeds(chain: string): string {
  return `No real trades on ${chain}: its table has no price feeds, so no trade can be checked against MAX_TRADE_USD and MAX_DAILY_USD. Set CHAIN_TABLE to a table with feeds.`
}

/** The database in the folder holds password hashes and sealed keys. Windows has no such file modes. */
function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0
}

const engineInReach =
  'Other users of this machine can find the port of the chain engine and control the chain. unshare (util-linux) with user namespaces closes it.'

/** Shows only the host of the server, because its URL may hold a key. */
function describeAssistant({ LLM_BASE_URL: url }: Config, model: string): string {
  if (url === undefined) return `Embedded: assistant ${model} (rules, not a language model)`
  return `Assistant: language model ${model} at ${new URL(url).host}`
}
