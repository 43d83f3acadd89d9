import { contract, type OperationId, operationOf } from '../../../contract/index.ts'
import type { Operation } from '../../../contract/shared/operation.ts'
import { isStrict, strictly } from '../../../contract/shared/unknown-fields.ts'
import { bitcoinTools } from '../../../contract/tools/bitcoin-tool-table.ts'
import { exchangeTools } from '../../../contract/tools/exchange-tool-table.ts'
import { describeInWords, type Tool, type ToolTable } from '../../../contract/tools/tool-table.ts'
import { tvlTools } from '../../../contract/tools/tvl-tool-table.ts'

/** The tools of an operation that takes a `tool_name`. */
const innerTools: { readonly [Id in OperationId]?: ToolTable } = {
  'tools.invokeTvl': tvlTools,
  'tools.invokeExchange': exchangeTools,
  'tools.invokeBitcoin': bitcoinTools,
}

/** Input schemas that differ from the contract's: the assistant assesses tokens alone too, and quotes by their id. */
const looserArguments: { readonly [Id in OperationId]?: Tool['arguments'] } = {
  'trading.assessRisk': strictly(contract.trading.assessRisk.input).omit({ quote: true }),
}

/** An operation as a tool of the assistant: its description, and the contract's schema of its arguments. */
export function declarationOf(id: OperationId): Tool {
  const { summary, description, input }: Operation = operationOf(id)
  const inner = innerTools[id]
  const sentences = [summary, description, inner === undefined ? undefined : `Tools: ${describeInWords(inner)}`]
  return {
    description: sentences.filter((sentence) => sentence !== undefined).join('. '),
    // A model that invents an argument has to learn it, even where another caller's would be ignored.
    arguments: looserArguments[id] ?? (isStrict(input) ? input : strictly(input)),
  }
}

/** The operation's id as a tool name that language models accept. */
export function toolNameOf(id: OperationId): string {
  return id.replace('.', '_')
}
