import {
  buildSchema,
  type DocumentNode,
  execute,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  parse,
  type SelectionSetNode,
  specifiedRules,
  validate,
} from 'graphql'
import { z } from 'zod'
import { parseJson } from '../../kit/values.ts'
import type { Service, ServiceReply } from '../provider-server/server.ts'
import type { ChainData } from './chain-data.ts'
import { rootOf } from './subgraph-entities.ts'

const requestBody = z.object({ query: z.string().max(20_000), variables: z.record(z.string(), z.unknown()).nullish() })
const maxTokens = 2_000
/** The most values of a result. One core computes them in a fraction of a second. */
const maxValues = 40_000
const [defaultRows, maxRows] = [100, 1_000]
/** So many swaps can be searched in the time that one value of the result takes. */
const swapsPerValue = 10

/** A subgraph over the events of the pools, executed by the GraphQL reference implementation. */
export function subgraphService(chain: ChainData): Service {
  return {
    prefix: '/subgraph',
    async respond({ method, path, body }) {
      if (path !== '/pools') return null
      if (method !== 'POST') return { status: 405, json: errors(['POST a query']) }
      const given = requestBody.safeParse(parseJson(body))
      if (!given.success) return { json: errors(['The body must be {query, variables}']) }
      return await run(chain, given.data.query, given.data.variables ?? {})
    },
  }
}

async function run(chain: ChainData, text: string, variableValues: Record<string, unknown>): Promise<ServiceReply> {
  let document: DocumentNode
  try {
    document = parse(text, { maxTokens })
  } catch (thrown) {
    return { json: errors([thrown instanceof Error ? thrown.message : 'Syntax error']) }
  }
  const faults = validate(subgraphSchema, document, specifiedRules, { maxErrors: 10 })
  if (faults.length > 0) return { json: errors(faults.map(({ message }) => message)) }
  const facts = await chain.read({ swaps: true })
  if (valuesOf(document, variableValues, Math.ceil(facts.swaps.length / swapsPerValue)) > maxValues) {
    const message = `The query requests more than ${maxValues} values: request fewer fields, or fewer rows with first`
    return { json: errors([message]) }
  }
  const rootValue = rootOf(facts)
  const { data, errors: failed } = await execute({ schema: subgraphSchema, document, rootValue, variableValues })
  return {
    json: failed === undefined ? { data } : { ...(data ? { data } : {}), ...errors(failed.map((one) => one.message)) },
  }
}

function errors(messages: readonly string[]) {
  return { errors: messages.map((message) => ({ message })) }
}

/** The lists that take `first`. */
const pagedLists = ['pools', 'swaps', 'poolDayDatas', 'tokens']
/** The lists of introspection: the number of types, and the average length of the others. */
const [typeRows, listRows] = [30, 3]
const shortLists = /^(fields|args|interfaces|possibleTypes|enumValues|inputFields|directives|locations)$/

type Variables = Record<string, unknown>

/**
 * The values of a valid query's result, counted before the query runs: fragments as often as they are spread, lists
 * with as many rows as requested. `listValues` is the cost of making a list.
 */
function valuesOf({ definitions }: DocumentNode, variables: Variables, listValues: number): number {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const one of definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one)
  const known = new Map<string, number>()

  function spread(name: string): number {
    const count = known.get(name) ?? counted(fragments.get(name)?.selectionSet)
    known.set(name, count)
    return count
  }

  function field(node: FieldNode): number {
    const name = node.name.value
    if (name === '__typename') return 1
    const inner = node.selectionSet === undefined ? 1 : counted(node.selectionSet)
    if (pagedLists.includes(name)) return 1 + listValues + inner * rowsOf(node, variables)
    return 1 + inner * (name === 'types' ? typeRows : shortLists.test(name) ? listRows : 1)
  }

  function counted(set?: SelectionSetNode): number {
    const counts = set?.selections.map((one) => {
      if (one.kind === Kind.FIELD) return field(one)
      return one.kind === Kind.FRAGMENT_SPREAD ? spread(one.name.value) : counted(one.selectionSet)
    })
    return counts?.reduce((sum, count) => sum + count, 0) ?? 0
  }
  return Math.max(...definitions.map((one) => (one.kind === Kind.OPERATION_DEFINITION ? counted(one.selectionSet) : 0)))
}

function rowsOf({ arguments: given = [] }: FieldNode, variables: Variables): number {
  const first = given.find(({ name }) => name.value === 'first')?.value
  if (first === undefined) return defaultRows
  const rows = first.kind === Kind.VARIABLE ? variables[first.name.value] : 'value' in first && Number(first.value)
  return typeof rows === 'number' ? Math.min(maxRows, Math.max(0, rows)) : maxRows
}

const page = 'first: Int = 100, skip: Int = 0, orderBy: String = "id", orderDirection: OrderDirection = asc'

/** The part of the schema of Uniswap's subgraphs that the sandbox has data for. */
const subgraphSchema = buildSchema(/* GraphQL */ `
  scalar BigInt
  scalar BigDecimal
  scalar Bytes
  enum OrderDirection { asc desc }
  type Token { id: ID! symbol: String! decimals: BigInt! derivedUSD: BigDecimal! }
  type Pool {
    id: ID! version: String! feeTier: BigInt! token0: Token! token1: Token!
    totalValueLockedToken0: BigDecimal! totalValueLockedToken1: BigDecimal! totalValueLockedUSD: BigDecimal!
    volumeUSD: BigDecimal! txCount: BigInt!
  }
  type Swap {
    id: ID! timestamp: BigInt! transaction: Transaction! pool: Pool! token0: Token! token1: Token!
    sender: Bytes! recipient: Bytes! amount0: BigDecimal! amount1: BigDecimal! amountUSD: BigDecimal!
  }
  type Transaction { id: ID! blockNumber: BigInt! timestamp: BigInt! }
  type PoolDayData { id: ID! date: Int! pool: Pool! volumeUSD: BigDecimal! txCount: BigInt! }
  type Bundle { id: ID! ethPriceUSD: BigDecimal! }
  type Block { number: Int! timestamp: Int }
  type Meta { block: Block! deployment: String! hasIndexingErrors: Boolean! }
  input PoolFilter { id: ID version: String token0: String token1: String totalValueLockedUSD_gt: BigDecimal }
  input SwapFilter {
    pool: String sender: Bytes recipient: Bytes timestamp_gte: BigInt timestamp_lt: BigInt amountUSD_gt: BigDecimal
  }
  input PoolDayFilter { pool: String date_gte: Int date_lt: Int }
  type Query {
    pool(id: ID!): Pool
    pools(${page}, where: PoolFilter): [Pool!]!
    swap(id: ID!): Swap
    swaps(${page}, where: SwapFilter): [Swap!]!
    poolDayDatas(${page}, where: PoolDayFilter): [PoolDayData!]!
    tokens(first: Int = 100, skip: Int = 0): [Token!]!
    bundle(id: ID!): Bundle
    _meta: Meta
  }
`)
