import { type OperationId, operationOf } from '../../contract/index.ts'
import { schemaOf } from '../../contract/tool-table.ts'
import { DomainError } from '../errors.ts'
import { tokenNamed } from '../intent/vocabulary.ts'
import { type ValuedNeeds, valuedPositions } from '../metrics/valued-positions.ts'
import type { AssistantTool } from '../ports/assistant.ts'
import type { Chain, Chains, Token } from '../ports/chains.ts'
import type { Ports } from '../ports.ts'
import { callTvl } from '../tools/invoke-tvl.ts'
import type { TvlNeeds } from '../tools/tvl-answers.ts'
import { unrealized } from '../trading/average-cost.ts'
import { whenFunded } from '../trading/funding.ts'
import { formatUnits, usdText } from '../trading/money.ts'
import { makeQuote, presentQuote, type QuotePorts } from '../trading/quote.ts'
import { assess } from '../trading/risk-checks.ts'

export type ToolPorts = QuotePorts | ValuedNeeds | TvlNeeds

/** Milliseconds that a provider may take while somebody chats. */
const providerMs = 12_000

/** What the assistant may look up for one account: the domain's own operations, reading only, until the reply is stopped. */
export function chatTools(
  ports: Pick<Ports, ToolPorts>,
  userId: number,
  stopped: AbortSignal,
): ReadonlyMap<string, AssistantTool> {
  const tools: AssistantTool[] = [
    toolOf('trading.quote', (input) => quoteSwap(ports, userId, input)),
    toolOf('trading.assessRisk', (input) => riskOf(ports.chains, input)),
    toolOf('tools.oraclePrice', (input) => priceOf(ports.chains, input)),
    toolOf('metrics.tvl', (input) => tvlOf(ports, input, stopped)),
    toolOf('tools.walletBalance', () => balancesOf(ports, userId)),
    toolOf('metrics.positions', () => positionsOf(ports, userId)),
  ]
  return new Map(tools.map((tool) => [tool.name, tool]))
}

function toolOf(operation: OperationId, run: AssistantTool['run']): AssistantTool {
  const { summary: description, input } = operationOf(operation)
  const name = operation.replaceAll('.', '_')
  return { name, operation, description, inputSchema: schemaOf(input), run }
}

async function quoteSwap(ports: Pick<Ports, QuotePorts>, userId: number, input: Record<string, unknown>) {
  const chain = chainNamed(ports.chains, input.chain)
  const tokenIn = mustKnow(chain, input.token_in)
  const tokenOut = mustKnow(chain, input.token_out)
  const amount = String(input.amount)
  const stored = await makeQuote(ports, userId, {
    chain_id: chain.info.id,
    token_in_address: tokenIn.address,
    token_out_address: tokenOut.address,
    amount_in: amount,
    amount_in_currency: 'token_units',
    slippage_bps: Math.min(5_000, Number(input.slippage_bps)),
  })
  return {
    ...presentQuote(stored, ports.chains),
    amount_in: amount,
    symbol_in: tokenIn.symbol,
    symbol_out: tokenOut.symbol,
  }
}

async function riskOf(chains: Chains, input: Record<string, unknown>) {
  const chain = chains.default
  const name = String(input.token)
  const address = tokenNamed(chain, name)?.address ?? (/^0x[0-9a-f]{40}$/i.test(name) ? name : null)
  if (address === null) throw unknownToken(chain, name)
  const tokens = [address.toLowerCase() as `0x${string}`]
  const report = await assess({ chain, tokens, trade: null, checks: [], thresholds: undefined })
  return { ...report, token: name }
}

async function priceOf(chains: Chains, input: Record<string, unknown>) {
  const chain = chains.default
  const token = mustKnow(chain, input.token)
  const price = token.usdFeed === null ? null : await chain.price(token.usdFeed)
  if (price === null)
    throw new DomainError('NOT_FOUND', `No feed on ${chain.info.name} prices ${token.symbol}; ask for a quote instead.`)
  return {
    token: token.symbol,
    pair: price.pair,
    price_usd: formatUnits(price.answer, price.decimals),
    updated_at: price.updatedAt.toISOString(),
  }
}

async function tvlOf(ports: Pick<Ports, TvlNeeds>, { chain }: Record<string, unknown>, stopped: AbortSignal) {
  const name = chain === null || chain === undefined ? String(ports.chains.default.info.id) : String(chain)
  const call = { tool_name: 'tvl_get', arguments: { chain: name } }
  const { value, source } = await callTvl(ports, call, AbortSignal.any([stopped, AbortSignal.timeout(providerMs)]))
  return { ...value, source }
}

async function balancesOf(ports: Pick<Ports, 'chains' | 'outbox' | 'wallets'>, userId: number) {
  const { info, balances } = ports.chains.default
  const wallets = await ports.wallets.list(userId)
  const read = wallets.map(async (wallet) => {
    const { ref, address } = await whenFunded(ports, wallet)
    const held = await balances(
      address,
      info.tokens.map((token) => token.address),
    )
    const native = { symbol: info.nativeSymbol, amount: formatUnits(held.native, 18) }
    const tokens = info.tokens.map(({ symbol, decimals }, index) => ({
      symbol,
      amount: formatUnits(held.tokens[index] ?? 0n, decimals),
    }))
    return { wallet_ref: ref, address, balances: [native, ...tokens.filter(({ amount }) => amount !== '0')] }
  })
  return { wallets: await Promise.all(read) }
}

async function positionsOf(ports: Pick<Ports, ValuedNeeds>, userId: number) {
  const positions = (await valuedPositions(ports, { userId })).map(({ row, token, worth }) => ({
    symbol: token.symbol,
    quantity: formatUnits(row.quantity, token.decimals),
    agent: row.agent,
    realized_pnl_usd: usdText(row.realizedPnlUsd),
    unrealized_pnl_usd: worth === null ? null : usdText(unrealized(row, worth.valueUsd)),
  }))
  return { positions }
}

/** The chain that a sentence names by name or id, else the default one. */
function chainNamed(chains: Chains, name: unknown): Chain {
  if (name === null || name === undefined) return chains.default
  const found = chains.all.find(({ info }) => info.name.toLowerCase() === name || String(info.id) === name)
  if (found !== undefined) return found
  const known = chains.all.map(({ info }) => `${info.name} (${info.id})`).join(', ')
  throw new DomainError('NOT_FOUND', `The chain ${String(name)} is not connected; I can trade on ${known}.`)
}

function mustKnow(chain: Chain, name: unknown): Token {
  const token = tokenNamed(chain, String(name))
  if (token === null) throw unknownToken(chain, String(name))
  return token
}

function unknownToken(chain: Chain, name: string): DomainError {
  const known = chain.info.tokens.map(({ symbol }) => symbol).join(', ')
  return new DomainError(
    'NOT_FOUND',
    `I do not know the token ${name.slice(0, 64)} on ${chain.info.name}; I know ${known}.`,
  )
}
