import type { OperationId, OperationOf } from '../../../contract/index.ts'
import type { Operation } from '../../../contract/shared/operation.ts'
import { schemaOf } from '../../../contract/tools/tool-table.ts'
import type { Call, Handler, Principal } from '../../core/handler.ts'
import { positions } from '../../metrics/positions.ts'
import { realizedPnl } from '../../metrics/realized-pnl.ts'
import { tvl } from '../../metrics/tvl.ts'
import { unrealizedPnl } from '../../metrics/unrealized-pnl.ts'
import { volume } from '../../metrics/volume.ts'
import type { AssistantTool, Findings } from '../../ports/assistant.ts'
import type { Ports } from '../../ports/index.ts'
import { previewIntent } from '../../previews/preview-intent.ts'
import { quote } from '../../quoting/quote.ts'
import { preview } from '../../research/preview.ts'
import { summaryOf } from '../../research/summary.ts'
import { assessRisk } from '../../risk/assess-risk.ts'
import { checkedCall } from '../../tools/checked-call.ts'
import { invokeBitcoin } from '../../tools/invoke-bitcoin.ts'
import { invokeExchange } from '../../tools/invoke-exchange.ts'
import { invokeTvl } from '../../tools/invoke-tvl.ts'
import { oraclePrice } from '../../tools/oracle-price.ts'
import { walletBalance } from '../../tools/wallet-balance.ts'
import { getExecution } from '../../trading/get-execution.ts'
import { listChains } from '../../trading/list-chains.ts'
import { listExecutions } from '../../trading/list-executions.ts'
import { listWallets } from '../../wallets/list-wallets.ts'
import { assistantCall } from './assistant-call.ts'
import type { WordPorts } from './plain-words.ts'
import { inContractTerms, spokenSchema } from './spoken-fields.ts'
import { createToolTime } from './tool-budget.ts'
import { declarationOf, toolNameOf } from './tool-declarations.ts'

/** Every operation that the assistant may call, with the handler that serves it on every protocol. All read; a quote is kept, and trades nothing. */
const handlers = {
  'research.preview': preview,
  'trading.quote': quote,
  'trading.assessRisk': assessRisk,
  'trading.previewIntent': previewIntent,
  'trading.listChains': listChains,
  'trading.listWallets': listWallets,
  'trading.getExecution': getExecution,
  'trading.listExecutions': listExecutions,
  'tools.oraclePrice': oraclePrice,
  'tools.walletBalance': walletBalance,
  'tools.invokeTvl': invokeTvl,
  'tools.invokeExchange': invokeExchange,
  'tools.invokeBitcoin': invokeBitcoin,
  'metrics.positions': positions,
  'metrics.volume': volume,
  'metrics.realizedPnl': realizedPnl,
  'metrics.unrealizedPnl': unrealizedPnl,
  'metrics.tvl': tvl,
} as const satisfies { readonly [Id in OperationId]?: Handler<OperationOf<Id>, keyof Ports> }

type ToolId = keyof typeof handlers

/** What the tools have at hand: nothing here can sign or send. */
export type ToolPorts = WordPorts | { [Id in ToolId]: keyof Parameters<(typeof handlers)[Id]>[0] }[ToolId]

const declared = (Object.keys(handlers) as ToolId[]).map((id) => {
  const tool = declarationOf(id)
  return { id, name: toolNameOf(id), tool, inputSchema: spokenSchema(id, schemaOf(tool.arguments)) }
})

type ToolHandler = (ports: Pick<Ports, ToolPorts>, input: unknown, call: Call<Operation>) => Promise<unknown>

/** What may be looked up for one caller while one answer is written, until that is stopped. */
export function chatTools(
  ports: Pick<Ports, ToolPorts>,
  caller: Principal,
  stopped: AbortSignal,
): ReadonlyMap<string, AssistantTool> {
  const spend = createToolTime(ports.clock, stopped)
  // Findings are summed up by rules here: the assistant that asked reads them itself.
  const assistant = { ...ports.assistant, summarize: async (findings: Findings) => summaryOf(findings) }
  const own = { ...ports, assistant }
  const tools = declared.map(({ id, name, tool, inputSchema }): AssistantTool => {
    const handle = handlers[id] as ToolHandler // the table has checked it
    const run = async (said: Record<string, unknown>, signal: AbortSignal) => {
      const terms = await inContractTerms(id, said, ports, caller.userId)
      const { data } = checkedCall({ [name]: tool }, { tool_name: name, arguments: terms })
      return asObject(await handle(own, data, assistantCall<Operation>(caller as never, signal)))
    }
    const { description } = tool
    return { name, operation: id, description, inputSchema, run: (said) => spend((signal) => run(said, signal)) }
  })
  return new Map(tools.map((tool) => [tool.name, tool]))
}

/** A list is `items`, as it is on gRPC. */
function asObject(answer: unknown): Record<string, unknown> {
  return Array.isArray(answer) ? { items: answer } : (answer as Record<string, unknown>)
}
