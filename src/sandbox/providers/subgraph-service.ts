import { execute, parse, specifiedRules, validate } from 'graphql'
import { z } from 'zod'
import { parseJson } from '../../kit/values.ts'
import type { Service, ServiceReply } from '../provider-server/server.ts'
import type { ChainData } from './chain-data.ts'
import { sizeFault } from './subgraph-bounds.ts'
import { rootOf } from './subgraph-entities.ts'
import { subgraphSchema } from './subgraph-schema.ts'

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
