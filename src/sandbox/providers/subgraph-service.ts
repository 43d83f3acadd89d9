import { buildSchema, execute, parse, specifiedRules, validate } from 'graphql'
import { z } from 'zod'
import { parseJson } from '../../kit/values.ts'
import type { Service, ServiceReply } from '../provider-server/server.ts'
import type { ChainData } from './chain-data.ts'
import { sizeFault } from './subgraph-bounds.ts'
import { rootOf } from './subgraph-entities.ts'

const requestBody = z.object({ query: z.string().max(20_000), variables: z.record(z.string(), z.unknown()).nullish() })
const maxTokens = 2_000
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
  let document: ReturnType<typeof parse>
  try {
    document = parse(text, { maxTokens })
  } catch (thrown) {
    return { json: errors([thrown instanceof Error ? thrown.message : 'Syntax error']) }
  }
  const faults = validate(subgraphSchema, document, specifiedRules, { maxErrors: 10 })
  if (faults.length > 0) return { json: errors(faults.map(({ message }) => message)) }
  const [market, { swaps, to }] = await Promise.all([chain.market(), chain.swaps()])
  const listValues = Math.ceil(swaps.length / swapsPerValue)
  const fault = sizeFault(document, { schema: subgraphSchema, variables: variableValues, listValues })
  if (fault !== null) return { json: errors([fault]) }
  const rootValue = rootOf(market, swaps, to)
  const { data, errors: failed } = await execute({ schema: subgraphSchema, document, rootValue, variableValues })
  return {
    json: failed === undefined ? { data } : { ...(data ? { data } : {}), ...errors(failed.map((one) => one.message)) },
  }
}

function errors(messages: readonly string[]) {
  return { errors: messages.map((message) => ({ message })) }
}

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
  input SwapFilter { pool: String sender: Bytes recipient: Bytes timestamp_gte: BigInt timestamp_lt: BigInt amountUSD_gt: BigDecimal }
  input PoolDayFilter { pool: String date_gte: Int date_lt: Int }
  type Query {
    pool(id: ID!): Pool
    pools(first: Int = 100, skip: Int = 0, orderBy: String = "id", orderDirection: OrderDirection = asc, where: PoolFilter): [Pool!]!
    swap(id: ID!): Swap
    swaps(first: Int = 100, skip: Int = 0, orderBy: String = "id", orderDirection: OrderDirection = asc, where: SwapFilter): [Swap!]!
    poolDayDatas(first: Int = 100, skip: Int = 0, orderBy: String = "id", orderDirection: OrderDirection = asc, where: PoolDayFilter): [PoolDayData!]!
    tokens(first: Int = 100, skip: Int = 0): [Token!]!
    bundle(id: ID!): Bundle
    _meta: Meta
  }
`)
