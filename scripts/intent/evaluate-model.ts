import { newAccount } from '../../test/accounts.ts'
import { eventsOf, output } from '../../test/clients/client.ts'
import { linesOf } from '../../test/questions/lines.ts'
import { openWorld, type World } from '../../test/world.ts'

/**
 * Asks the configured language model the questions of `test/questions`, in a gateway of its own with the sandbox, and prints
 * how many it answered from the right tools, by language. A question about something else is right where no tool was called.
 * Usage: `LLM_BASE_URL=… LLM_MODEL=… npm run evaluate:model -- [how many of each language]`.
 */
type Asked = { language: string; kind: string; text: string }

/** The operations of which one has to be called for a kind of question. */
const sources: Readonly<Record<string, readonly string[]>> = {
  worth: ['tools.walletBalance', 'metrics.positions'],
  balance: ['tools.walletBalance', 'metrics.positions'],
  profit: ['metrics.listClosedTrades', 'metrics.realizedPnl', 'metrics.unrealizedPnl', 'metrics.positions'],
  best_trade: ['metrics.listClosedTrades'],
  worst_trade: ['metrics.listClosedTrades'],
  why_lost: ['metrics.listClosedTrades'],
  gas_spent: ['metrics.listClosedTrades', 'metrics.realizedPnl'],
  trades: ['trading.listExecutions'],
  volume: ['metrics.volume'],
  trade_status: ['trading.listExecutions', 'trading.getExecution'],
  waiting: ['trading.listExecutions'],
  cancel: ['trading.listExecutions'],
  limits: ['trading.getWalletPolicy'],
  sessions: ['auth.listSessions'],
  tokens: ['trading.listChains'],
  chains: ['trading.listChains'],
  pools: ['tools.invokeTvl', 'research.preview'],
  deepest_pool: ['tools.invokeTvl', 'research.preview'],
  price: ['tools.oraclePrice', 'tools.invokeExchange', 'tools.invokeTvl', 'trading.quote'],
  change: ['tools.invokeExchange', 'tools.invokeTvl', 'research.preview'],
  gas_price: ['chain.gasPrice'],
  bitcoin_height: ['tools.invokeBitcoin'],
  bitcoin_fees: ['tools.invokeBitcoin'],
  tvl: ['tools.invokeTvl', 'research.preview', 'metrics.tvl'],
  largest: ['tools.invokeTvl', 'research.preview'],
  yields: ['tools.invokeTvl', 'research.preview'],
  faucet: ['system.info'],
  bridge: ['chain.bridgeStatus'],
  risk: ['trading.assessRisk'],
}

const [most = '10'] = process.argv.slice(2)
const { LLM_BASE_URL, LLM_MODEL, LLM_API_KEY } = process.env
if (LLM_BASE_URL === undefined || LLM_MODEL === undefined || !/^[1-9]\d*$/.test(most)) {
  console.error(
    'Usage: LLM_BASE_URL=… LLM_MODEL=… npm run evaluate:model -- [how many of each language], such as -- 10',
  )
  process.exitCode = 1
} else await evaluate({ LLM_BASE_URL, LLM_MODEL, ...(LLM_API_KEY === undefined ? {} : { LLM_API_KEY }) })

async function evaluate(settings: Record<string, string>): Promise<void> {
  await using world = await openWorld(settings)
  const { token } = await newAccount(world.clients.rest)
  const own = linesOf('development').map((line): Asked => {
    const [language = '', kind = '', text = ''] = line.split(' | ')
    return { language, kind: kind.replace('~', ''), text }
  })
  const others = linesOf('others').map((text): Asked => ({ language: 'other', kind: 'other', text }))
  for (const [language, all] of Map.groupBy([...own, ...others], (one) => one.language)) {
    const some = spread(all, Number(most))
    let right = 0
    for (const asked of some) {
      const called = await toolsCalled(world, token, asked.text)
      const wanted = sources[asked.kind] ?? []
      const isRight = wanted.length === 0 ? called.length === 0 : called.some((one) => wanted.includes(one))
      if (isRight) right += 1
      else console.log(`  ${asked.kind}: "${asked.text}" called ${called.join(', ') || 'no tool'}`)
    }
    console.log(`${language.padEnd(6)} ${right} of ${some.length} from the right tools`)
  }
  const { items } = await output(world.clients.rest.call('trading.listExecutions', {}, token))
  console.log(`trades made: ${items.length}`)
}

/** So many of a list, from all of its parts. */
function spread<T>(all: readonly T[], count: number): T[] {
  const step = Math.max(1, all.length / count)
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => all[Math.floor(index * step)] as T)
}

async function toolsCalled(world: World, token: string, content: string): Promise<string[]> {
  await output(world.clients.rest.call('chat.clear', {}, token))
  const question = { messages: [{ role: 'user', content }], events: true }
  const events = await eventsOf(world.clients.rest.stream('chat.stream', question, token)).catch((error: unknown) => {
    console.log(`  "${content}" failed: ${error instanceof Error ? error.message : String(error)}`)
    return []
  })
  return events.flatMap((event) => (event.event === 'tool_started' ? [String(event.operation ?? event.tool)] : []))
}
