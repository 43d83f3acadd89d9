import { errorTable } from '../../src/contract/shared/errors.ts'
import { bounds, rateRules, tiers } from '../../src/contract/shared/limits.ts'
import { codesOf } from '../../src/contract/shared/operation.ts'
import { isStrict } from '../../src/contract/shared/unknown-fields.ts'
import { bitcoinTools } from '../../src/contract/tools/bitcoin-tool-table.ts'
import { exchangeTools } from '../../src/contract/tools/exchange-tool-table.ts'
import { schemaOf, type ToolTable } from '../../src/contract/tools/tool-table.ts'
import { tvlTools } from '../../src/contract/tools/tvl-tool-table.ts'
import { type Method, procedureKind } from './model.ts'

/** Facts of all operations, and the arguments of the providers' tools: `x-trident` at the top of the document. */
export const tables = {
  errors: errorTable,
  limits: bounds,
  rates: rateRules,
  tiers,
  tools: { tvl: argumentsOf(tvlTools), exchange: argumentsOf(exchangeTools), bitcoin: argumentsOf(bitcoinTools) },
}

function argumentsOf(table: ToolTable) {
  return Object.fromEntries(Object.entries(table).map(([name, tool]) => [name, schemaOf(tool.arguments)]))
}

/** Facts that callers depend on and OpenAPI has no field for: `x-trident` of an operation, in both documents. */
export function factsOf({ id, operation }: Method) {
  const { kind, auth, scope, rate, trades, mcp, onDisconnect = 'abort', secret = false, deprecated } = operation
  const unknownFields = isStrict(operation.input) ? 'refused' : 'ignored'
  const trpc = procedureKind(operation)
  return {
    operation: id,
    kind,
    auth,
    scope,
    rate,
    ...(trades === undefined ? {} : { tradeRate: { class: 'execute', counts: trades.counts } }),
    mcp,
    trpc,
    errors: codesOf(operation),
    onDisconnect,
    secret,
    unknownFields,
    deprecated,
  }
}
