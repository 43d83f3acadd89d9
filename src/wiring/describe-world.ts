import { type RollCall, rollCall } from '../adapters/node/public/roll-call.ts'
import type { ChainInfo } from '../domain/ports/chains.ts'
import type { Config } from '../settings/config.ts'

/** Asks the public nodes of each setting; answers a line for each. Throws an Error where the chain has none that answers. */
export async function callNodes(config: Config): Promise<string[]> {
  const names = (['CHAIN_RPC_URL', 'ROLLUP_RPC_URL', 'L1_RPC_URL'] as const).filter((name) => config[name])
  const calls = await Promise.all(names.map(async (name) => ({ name, ...(await rollCall(config[name] ?? [])) })))
  const chain = calls.find(({ name }) => name === 'CHAIN_RPC_URL')
  if (chain !== undefined && chain.silent.length === chain.total)
    throw new Error(`${lineOf(chain)}. Check the addresses, and whether the nodes run.`)
  return calls.map(lineOf)
}

function lineOf({ name, total, silent }: RollCall & { name: string }): string {
  const told = `${name}: ${total - silent.length} of ${total} answer`
  return silent.length === 0 ? told : `${told}; silent: ${silent.join(', ')}`
}

/** What the gateway runs on, so that nobody takes an embedded part for a public one. */
export function describeWorld(config: Config, dialect: string, info: ChainInfo, model: string): string[] {
  const chain = `chain ${config.CHAIN_ID}`
  return [
    info.sandbox ? `Embedded: ${chain} (a sandbox: play money, a block every 2 s)` : `Chain: ${chain}, public`,
    dialect === 'sqlite' ? `Embedded: SQLite in ${config.DATA_DIR}` : 'Storage: PostgreSQL',
    describeAssistant(config, model),
    ...(info.tokens.length > 0 ? [] : [`Nothing is traded on ${chain}: there is no table of its tokens and venues.`]),
    ...(config.tradingEnabled ? [] : ['Trading is off: set TRADING_ENABLED=true, MAX_TRADE_USD and MAX_DAILY_USD.']),
  ]
}

/** The host of the server alone is told, for its address may hold a key. */
function describeAssistant({ LLM_BASE_URL: url }: Config, model: string): string {
  if (url === undefined) return `Embedded: assistant ${model} (rules, not a language model)`
  return `Assistant: language model ${model} at ${new URL(url).host}`
}
