import { output } from '../../../test/clients/client.ts'
import { sendRound } from '../../../test/clients/mcp.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { startGateway } from '../../../test/gateway-process.ts'
import { callsOf } from '../cost.ts'
import type { Bench } from '../figures.ts'
import { openAccounts } from '../trading.ts'
import { inTurns } from '../turns.ts'

const rounds = 5
/** Many, because the blocks of the embedded chain cost processor time too. */
const callsOfRound = 3_000

/** Operations over REST, and the tools that call them. */
const pairs = [
  { path: '/api/v1/chains', tool: 'find_token', given: {} },
  { path: '/api/v1/positions', tool: 'positions', given: {} },
  { path: '/api/v1/wallets', tool: 'call_operation', given: { operation: 'trading.listWallets' } },
] as const

/**
 * The processor time of the gateway for a call of a tool, compared with that of the same operation over REST, with the same
 * token, its database and its limits.
 */
export const bench: Bench = async () => {
  await using gateway = await startGateway(null, { LOG_LEVEL: 'silent' })
  const { http } = gateway.urls
  const client = restClient(http)
  const [account] = await openAccounts(client, 1)
  const grant = { scopes: ['read', 'trade'], confirm_above_usd: 0 }
  const session = await output(client.call('auth.createSession', { grant }, account?.userToken))
  const token: string = session.token.access_token
  const ways = pairs.flatMap(({ path, tool, given }) => [
    { name: `GET ${path}`, call: () => readPage(`${http}${path}`, token) },
    { name: `${tool} over MCP`, call: () => callTool(http, token, tool, given) },
  ])
  const results = await inTurns(ways, rounds, async ({ call }) => (await callsOf(gateway, call, callsOfRound)).cpuMs)
  const of = (index: number) => results.get(ways[index] as (typeof ways)[number]) ?? []
  return pairs.map((_pair, index) => ({
    what: `${ways[2 * index + 1]?.name}, processor of the gateway`,
    unit: 'ms',
    rounds: of(2 * index + 1),
    floor: { name: `${ways[2 * index]?.name}`, rounds: of(2 * index) },
  }))
}

async function readPage(url: string, token: string): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  await response.text()
  if (!response.ok) throw new Error(`${url} answers ${response.status}.`)
}

async function callTool(http: string, token: string, name: string, given: object): Promise<void> {
  const { isError, error } = await sendRound(http, token, { name, given })
  if (isError === true || error !== undefined) throw new Error(`${name} is refused.`)
}
