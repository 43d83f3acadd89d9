import { buildSchema } from 'graphql'

/** The part of the schema of Uniswap's subgraphs that the sandbox has data for. */
export const subgraphSchema = buildSchema(/* GraphQL */ `
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
