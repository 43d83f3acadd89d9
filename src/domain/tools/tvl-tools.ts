import type { contract } from '../../contract/index.ts'
import { type ArgumentsOf, describeTools } from '../../contract/tools/tool-table.ts'
import { tvlTools } from '../../contract/tools/tvl-tool-table.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { DailyValue, Protocol, Sourced, TokenPrice, YieldPool } from '../ports/providers.ts'
import { pooledToken, requireChecksum, tokenCalled } from '../values/tokens.ts'
import { connectedChain, decimalText, tvlChain } from './provider-names.ts'
import { checkedCall, presentTool, type ToolCall, type ToolContext, type ToolRunners } from './tool-call.ts'

export type TvlNeeds = 'chains' | 'providers'
type Tools = typeof tvlTools
type Arguments = { [Name in keyof Tools]: ArgumentsOf<Tools[Name]> }

/** The tools of the TVL provider. */
const runTvlTool: ToolRunners<Pick<Ports, TvlNeeds>, Arguments> = {
  async tvl_get(ports, { chain }, { signal, fail }) {
    const answer = await ports.providers.tvl.chains(signal)
    const { name, chainId, tvlUsd, synthetic } = tvlChain(answer.value, ports.chains, chain, fail)
    return { ...answer, value: { chain: name, chain_id: chainId, ...worth(tvlUsd), ...flag(synthetic) } }
  },
  async tvl_total({ providers }, _given, { signal }) {
    const answer = await providers.tvl.chains(signal)
    // The addition of floats leaves meaningless digits behind the cents.
    const total = Number(answer.value.reduce((sum, { tvlUsd }) => sum + tvlUsd, 0).toFixed(2))
    return { ...answer, value: { chains: answer.value.length, ...worth(total), ...flag(anySynthetic(answer.value)) } }
  },
  async chains_list({ providers }, { limit }, { signal }) {
    const answer = await providers.tvl.chains(signal)
    const rows = byTvl(answer.value).map(({ name, chainId, tvlUsd, synthetic }) => ({
      chain: name,
      chain_id: chainId,
      ...worth(tvlUsd),
      ...flag(synthetic),
    }))
    return { ...answer, value: { chains: rows.slice(0, limit), total: rows.length } }
  },
  async chain_history(ports, { chain, days }, { signal, fail }) {
    const known = await ports.providers.tvl.chains(signal)
    const { name, synthetic } = tvlChain(known.value, ports.chains, chain, fail)
    const answer = await ports.providers.tvl.history(name, signal)
    return { ...answer, value: { chain: name, history: lastDays(answer.value, days), ...flag(synthetic) } }
  },
  async total_history({ providers }, { days }, { signal }) {
    const known = await providers.tvl.chains(signal)
    const answer = await providers.tvl.history(null, signal)
    return { ...answer, value: { history: lastDays(answer.value, days), ...flag(anySynthetic(known.value)) } }
  },
  async protocols_list(ports, { chain, category, limit }, context) {
    const on = await chainOf(ports, chain, context)
    const answer = await ports.providers.tvl.protocols(context.signal)
    const rows = byTvl(answer.value).filter(
      (one) =>
        (on === null || one.chains.some((name) => same(name, on))) &&
        (category === undefined || same(one.category ?? '', category)),
    )
    return { ...answer, value: { protocols: rows.slice(0, limit).map(protocolRow), total: rows.length } }
  },
  async protocol_get({ providers }, { protocol }, { signal }) {
    const answer = await providers.tvl.protocol(protocol, signal)
    const { name, category, chains, tvlUsdByChain, synthetic } = answer.value
    const value = { protocol, name, category, chains, tvl_usd_by_chain: tvlUsdByChain, ...flag(synthetic) }
    return { ...answer, value }
  },
  async protocol_tvl({ providers }, { protocol }, { signal }) {
    const answer = await providers.tvl.protocolTvl(protocol, signal)
    return { ...answer, value: { protocol, ...worth(answer.value) } }
  },
  async protocol_history({ providers }, { protocol, days }, { signal }) {
    const answer = await providers.tvl.protocol(protocol, signal)
    const { history, synthetic } = answer.value
    return { ...answer, value: { protocol, history: lastDays(history, days), ...flag(synthetic) } }
  },
  async token_price(ports, { token, chain }, context) {
    const { value, ...origin } = await pricesOf(ports, [token], chain, context)
    const [row = {}] = value
    if (!('price_usd' in row)) {
      const message = `The TVL provider has no price of ${token.slice(0, 64)} (${String(row.key).slice(0, 160)}); name another token or chain.`
      throw context.fail('NOT_FOUND', message)
    }
    return { ...origin, value: row }
  },
  async token_prices(ports, { tokens, chain }, context) {
    const { value, ...origin } = await pricesOf(ports, tokens, chain, context)
    return { ...origin, value: { prices: value } }
  },
  async pools_list(ports, { chain, project, min_tvl_usd: least, limit }, context) {
    const answer = await poolsOn(ports, chain, context)
    const rows = byTvl(answer.value).filter(
      (pool) => pool.tvlUsd >= least && (project === undefined || pool.project === project),
    )
    return { ...answer, value: { pools: rows.slice(0, limit).map(poolRow), total: rows.length } }
  },
  async pool_get({ providers }, { pool }, { signal, fail }) {
    const answer = await providers.tvl.pools(signal)
    const found = answer.value.find(({ id }) => same(id, pool))
    if (found === undefined)
      throw fail('NOT_FOUND', 'The TVL provider has no such pool; pools_list returns the ids of pools.')
    return { ...answer, value: poolRow(found) }
  },
  async yields_top(ports, { chain, min_tvl_usd: least, limit }, context) {
    const answer = await poolsOn(ports, chain, context)
    const rows = answer.value
      .filter((pool) => pool.tvlUsd >= least && pool.apy !== null)
      .sort((left, right) => (right.apy ?? 0) - (left.apy ?? 0))
    return { ...answer, value: { pools: rows.slice(0, limit).map(poolRow), total: rows.length } }
  },
}

/** The provider's name of a chain; null where none is named. */
async function chainOf(
  { chains, providers }: Pick<Ports, TvlNeeds>,
  name: string | undefined,
  { signal, fail }: ToolContext,
) {
  if (name === undefined) return null
  return tvlChain((await providers.tvl.chains(signal)).value, chains, name, fail).name
}

async function poolsOn(ports: Pick<Ports, TvlNeeds>, name: string | undefined, context: ToolContext) {
  const on = await chainOf(ports, name, context)
  const answer = await ports.providers.tvl.pools(context.signal)
  return { ...answer, value: answer.value.filter(({ chain }) => on === null || same(chain, on)) }
}

/** A row for each token, in their order; one without `price_usd` has no price. */
async function pricesOf(
  ports: Pick<Ports, TvlNeeds>,
  tokens: readonly string[],
  chain: string | undefined,
  { signal, fail }: ToolContext,
): Promise<Sourced<Record<string, unknown>[]>> {
  const keys = tokens.map((token) => priceKey(ports, token, chain, fail))
  const answer = await ports.providers.tvl.prices(keys, signal)
  const byKey = new Map(answer.value.map((price) => [price.key.toLowerCase(), price]))
  const rows = tokens.map((token, index) => priceRow(token, keys[index] ?? '', byKey))
  return { ...answer, value: rows }
}

function priceRow(token: string, key: string, byKey: ReadonlyMap<string, TokenPrice>): Record<string, unknown> {
  const price = byKey.get(key.toLowerCase())
  if (price === undefined) return { token, key, error: 'no price' }
  return {
    token,
    key,
    symbol: price.symbol,
    price_usd: price.priceUsd,
    price_usd_decimal: decimalText(price.priceUsd),
    at: price.at.toISOString(),
    confidence: price.confidence,
  }
}

/** The provider's key of a token's price. A symbol means that token of the chain. */
function priceKey(
  { chains }: Pick<Ports, 'chains'>,
  token: string,
  name: string | undefined,
  fail: ToolContext['fail'],
): string {
  if (token.includes(':')) return token
  requireChecksum(token, 'arguments.token')
  const chain = name === undefined ? chains.default : connectedChain(chains, name)
  const isAddress = /^0x[0-9a-f]{40}$/i.test(token)
  if (chain === null && isAddress) return `${name?.toLowerCase() ?? ''}:${token}`
  if (chain === null)
    throw fail('NOT_FOUND', `The chain ${name ?? ''} is not connected; name the token as chain:address.`)
  const found = tokenCalled(chain, token)
  if (found === null && !isAddress) {
    const known = chain.info.tokens.map(({ symbol }) => symbol).join(', ')
    const message = `${chain.info.name} has no token ${token.slice(0, 64)} on its list, only ${known}; give its address.`
    throw fail('NOT_FOUND', message)
  }
  return `${providerNames[chain.info.name] ?? chain.info.name}:${found === null ? token : pooledToken(chain, found.address)}`
}

/** The provider's names of chains, where they differ from the gateway's. */
const providerNames: Readonly<Record<string, string>> = { bnb: 'bsc' }

function protocolRow({ slug, name, category, chains, tvlUsd, synthetic }: Protocol) {
  return { protocol: slug, name, category, chains, ...worth(tvlUsd), ...flag(synthetic) }
}

function poolRow({ id, chain, project, symbol, tvlUsd, apy, volumeUsd1d, synthetic }: YieldPool) {
  return {
    pool: id,
    chain,
    project,
    symbol,
    ...worth(tvlUsd),
    apy_percent: apy,
    volume_usd_1d: volumeUsd1d,
    ...flag(synthetic),
  }
}

function byTvl<T extends { tvlUsd: number }>(rows: readonly T[]): T[] {
  return [...rows].sort((left, right) => right.tvlUsd - left.tvlUsd)
}

function lastDays(history: readonly DailyValue[], days: number) {
  return history.slice(-days).map(({ date, usd }) => ({ date: date.toISOString().slice(0, 10), ...worth(usd) }))
}

function worth(usd: number) {
  return { tvl_usd: usd, tvl_usd_decimal: decimalText(usd) }
}

function flag(synthetic: boolean): { synthetic?: true } {
  return synthetic ? { synthetic: true } : {}
}

/** A figure of all chains is synthetic where that of any one is. */
function anySynthetic(rows: readonly { synthetic: boolean }[]): boolean {
  return rows.some(({ synthetic }) => synthetic)
}

function same(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

/** The tools of the TVL provider with the schemas of their arguments. */
export const listTvl: Handler<typeof contract.tools.listTvl> = async () => ({ tools: describeTools(tvlTools) })

/** Calls a tool of the TVL provider and names the source. */
export const invokeTvl: Handler<typeof contract.tools.invokeTvl, TvlNeeds> = async (ports, input, call) =>
  presentTool(input.tool_name, await callTvl(ports, input, call))

/** Checks and runs a call of a tool of the TVL provider. */
export async function callTvl(
  ports: Pick<Ports, TvlNeeds>,
  call: ToolCall,
  context: ToolContext,
): Promise<Sourced<Record<string, unknown>>> {
  const { name, data } = checkedCall(tvlTools, call, context.fail)
  return await runTvlTool[name](ports, data as never, context) // checked by the tool's schema
}
