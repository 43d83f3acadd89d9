import type { contract, OperationId, OperationOf } from '../../../contract/index.ts'
import type { Operation } from '../../../contract/shared/operation.ts'
import { schemaOf } from '../../../contract/tools/tool-table.ts'
import { listSessionsOnly } from '../../auth/sessions.ts'
import type { Fail } from '../../core/errors.ts'
import type { Call, Handler, Principal } from '../../core/handler.ts'
import { listClosedTrades } from '../../metrics/closed-trades.ts'
import { positions, realizedPnl, tvl, unrealizedPnl, volume } from '../../metrics/metrics.ts'
import { bridgeStatus } from '../../node/bridge.ts'
import { getWalletPolicy } from '../../policies/wallet-policy.ts'
import type { AssistantTool, Findings } from '../../ports/assistant.ts'
import { paidPerGas } from '../../ports/chains.ts'
import type { Ports } from '../../ports/index.ts'
import { previewIntent } from '../../previews/preview-intent.ts'
import { quote } from '../../quoting/quote.ts'
import { preview } from '../../research/preview.ts'
import { summaryOf } from '../../research/summary.ts'
import { assessRisk } from '../../risk/assess-risk.ts'
import { info } from '../../system/info.ts'
import { invokeBitcoin } from '../../tools/bitcoin.ts'
import { oraclePrice, walletBalance } from '../../tools/chain-reads.ts'
import { invokeExchange } from '../../tools/exchange.ts'
import { checkedCall } from '../../tools/tool-call.ts'
import { invokeTvl } from '../../tools/tvl-tools.ts'
import { getExecution, listExecutions } from '../../trading/executions.ts'
import { listChains } from '../../trading/list-chains.ts'
import { listWallets } from '../../wallets/wallets.ts'
import { assistantCall } from './assistant-call.ts'
import { chainOfInput, type SpokenField, type WordPorts, words } from './plain-words.ts'
import { createToolTime } from './tool-budget.ts'
import { declarationOf, toolNameOf } from './tool-declarations.ts'

type Fields = Readonly<Record<string, unknown>>

/** The fields of an operation that accept plain words, by their path in dots. */
const spokenFields: { readonly [Id in OperationId]?: Readonly<Record<string, SpokenField>> } = {
  'trading.quote': {
    'input.chain_id': words.neededChainId,
    'input.token_in_address': words.token,
    'input.token_out_address': words.token,
  },
  'trading.assessRisk': {
    'input.chain_id': words.chainId,
    'input.chain': words.chainName,
    'input.addresses': words.tokens,
  },
  'tools.oraclePrice': { chain: words.neededChainName },
  'tools.walletBalance': { address: words.anyWallet, chain_id: words.chainId },
  'metrics.positions': { wallet_address: words.ownWallet, token_address: words.token },
}

/** The gas price by the chain's port: that of the node, which serves the method elsewhere, could send. */
const gasPrice: Handler<typeof contract.chain.gasPrice, 'chains'> = async ({ chains }) => {
  return `0x${paidPerGas(await chains.default.fees()).toString(16)}`
}

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
  'metrics.listClosedTrades': listClosedTrades,
  'trading.getWalletPolicy': getWalletPolicy,
  'auth.listSessions': listSessionsOnly,
  'chain.gasPrice': gasPrice,
  'chain.bridgeStatus': bridgeStatus,
  'system.info': info,
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

/** A list becomes `items`, as on gRPC, and a value alone `value`; nothing is an empty object. */
function asObject(output: unknown): Record<string, unknown> {
  if (Array.isArray(output)) return { items: output }
  if (output === null || output === undefined) return {}
  return typeof output === 'object' ? { ...output } : { value: output }
}

/** The input with the contract's values in place of plain words. INVALID_ARGUMENT names the field. */
async function inContractTerms(
  id: OperationId,
  input: Fields,
  ports: Pick<Ports, WordPorts>,
  userId: number,
  fail: Fail<'NOT_FOUND'>,
): Promise<Fields> {
  const fields = Object.entries(spokenFields[id] ?? {})
  const chainPaths = fields.flatMap(([path, { chain }]) => (chain === true ? [path] : []))
  const chainPath = chainPaths.find((path) => fieldAt(input, path.split('.')) !== undefined) ?? chainPaths[0] ?? ''
  const chain = chainOfInput(ports.chains, fieldAt(input, chainPath.split('.')), chainPath)
  let terms = input
  for (const [path, { read }] of fields) {
    const keys = path.split('.')
    const value = await read(fieldAt(input, keys), { ports, userId, chain, fail }, path)
    if (value !== undefined) terms = withField(terms, keys, value)
  }
  return terms
}

/** The JSON Schema of arguments that may be plain words: without references, and each such field as a described string. */
function spokenSchema(id: OperationId, { $defs: definitions, ...schema }: Fields): Fields {
  return spokenPart(schema, '', {
    definitions: isFields(definitions) ? definitions : {},
    spoken: spokenFields[id] ?? {},
  })
}

type Context = { definitions: Fields; spoken: Readonly<Record<string, SpokenField>> }

function spokenPart(schema: Fields, path: string, context: Context): Fields {
  const { $ref: reference, properties, items, required } = schema
  if (typeof reference === 'string') {
    const definition = context.definitions[reference.replace('#/$defs/', '')]
    return isFields(definition) ? spokenPart(definition, path, context) : schema
  }
  if (isFields(items)) return { ...schema, items: spokenPart(items, path, context) }
  if (!isFields(properties)) return schema
  const pathOf = (key: string) => (path === '' ? key : `${path}.${key}`)
  const fields = Object.entries(properties).map(([key, field]) => {
    const word = context.spoken[pathOf(key)]
    const plain = isFields(field) ? spokenPart(field, pathOf(key), context) : {}
    return [key, word === undefined ? plain : inWords(plain, word)] as const
  })
  const needed = Array.isArray(required) ? required.filter((key) => !context.spoken[pathOf(key)]?.optional) : []
  return { ...schema, properties: Object.fromEntries(fields), required: needed }
}

function inWords({ description }: Fields, { description: words, list }: SpokenField): Fields {
  const text = { description: `${String(description)}: ${words}` }
  return list === true ? { type: 'array', items: { type: 'string' }, ...text } : { type: 'string', ...text }
}

function fieldAt(fields: unknown, keys: readonly string[]): unknown {
  return keys.reduce((value, key) => (isFields(value) ? value[key] : undefined), fields)
}

function withField(fields: Fields, [key = '', ...deeper]: readonly string[], value: unknown): Fields {
  if (deeper.length === 0) return { ...fields, [key]: value }
  const inner = fields[key]
  // The contract refuses a value that is not an object.
  return isFields(inner) ? { ...fields, [key]: withField(inner, deeper, value) } : fields
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
