import type { OperationId, OperationOf } from '../../../contract/index.ts'
import type { Operation } from '../../../contract/shared/operation.ts'
import { schemaOf } from '../../../contract/tools/tool-table.ts'
import type { Fail } from '../../core/errors.ts'
import type { Call, Handler, Principal } from '../../core/handler.ts'
import { positions, realizedPnl, unrealizedPnl } from '../../metrics/positions.ts'
import { tvl } from '../../metrics/tvl.ts'
import { volume } from '../../metrics/volume.ts'
import type { AssistantTool, Findings } from '../../ports/assistant.ts'
import type { Ports } from '../../ports/index.ts'
import { previewIntent } from '../../previews/preview-intent.ts'
import { quote } from '../../quoting/quote.ts'
import { preview } from '../../research/preview.ts'
import { summaryOf } from '../../research/summary.ts'
import { assessRisk } from '../../risk/assess-risk.ts'
import { invokeBitcoin } from '../../tools/bitcoin.ts'
import { invokeExchange } from '../../tools/exchange.ts'
import { oraclePrice } from '../../tools/oracle-price.ts'
import { checkedCall } from '../../tools/tool-call.ts'
import { invokeTvl } from '../../tools/tvl.ts'
import { walletBalance } from '../../tools/wallet-balance.ts'
import { getExecution } from '../../trading/get-execution.ts'
import { listChains } from '../../trading/list-chains.ts'
import { listExecutions } from '../../trading/list-executions.ts'
import { listWallets } from '../../wallets/wallets.ts'
import { assistantCall } from './assistant-call.ts'
import type { WordPorts } from './plain-words.ts'
import { inContractTerms, spokenSchema } from './spoken-fields.ts'
import { createToolTime } from './tool-budget.ts'
import { declarationOf, toolNameOf } from './tool-declarations.ts'

/** Every operation that the assistant may call, with the handler that serves it on every protocol. All of them read; a quote is stored, and trades nothing. */
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

/** The ports of the tools: none of them can sign or send. */
export type ToolPorts = WordPorts | { [Id in ToolId]: keyof Parameters<(typeof handlers)[Id]>[0] }[ToolId]

const declared = (Object.keys(handlers) as ToolId[]).map((id) => {
  const tool = declarationOf(id)
  return { id, name: toolNameOf(id), tool, inputSchema: spokenSchema(id, schemaOf(tool.arguments)) }
})

type ToolHandler = (ports: Pick<Ports, ToolPorts>, input: unknown, call: Call<Operation>) => Promise<unknown>

/** The tools of one answer for one caller. They stop with the answer. */
export function chatTools(
  ports: Pick<Ports, ToolPorts>,
  caller: Principal,
  stopped: AbortSignal,
  fail: Fail<'DEADLINE_EXCEEDED' | 'LIMIT_EXCEEDED'>,
): ReadonlyMap<string, AssistantTool> {
  const spend = createToolTime(ports.clock, stopped, fail)
  // Rules summarize findings here: the assistant that called the tool reads them itself.
  const assistant = { ...ports.assistant, summarize: async (findings: Findings) => summaryOf(findings) }
  const ownPorts = { ...ports, assistant }
  const tools = declared.map(({ id, name, tool, inputSchema }): AssistantTool => {
    const handle = handlers[id] as ToolHandler // the table has checked it
    const run = async (input: Record<string, unknown>, signal: AbortSignal) => {
      const call = assistantCall<Operation>(caller as never, signal)
      const terms = await inContractTerms(id, input, ports, caller.userId, call.fail)
      const { data } = checkedCall({ [name]: tool }, { tool_name: name, arguments: terms }, call.fail)
      return asObject(await handle(ownPorts, data, call))
    }
    const { description } = tool
    return { name, operation: id, description, inputSchema, run: (input) => spend((signal) => run(input, signal)) }
  })
  return new Map(tools.map((tool) => [tool.name, tool]))
}

/** A list becomes `items`, as on gRPC. */
function asObject(output: unknown): Record<string, unknown> {
  return Array.isArray(output) ? { items: output } : (output as Record<string, unknown>)
}
