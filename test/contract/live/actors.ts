import { operations } from '../../../src/contract/index.ts'
import type { Auth } from '../../../src/contract/shared/operation.ts'
import { fundedAccount, newAccount } from '../../accounts.ts'
import { type Client, output } from '../../clients/client.ts'
import { grpcClient } from '../../clients/grpc.ts'
import { type RpcClient, rpcClient } from '../../clients/json-rpc.ts'
import { restClient } from '../../clients/rest.ts'
import { trpcClient } from '../../clients/trpc.ts'
import { type Belongings, belongingsOf } from '../live-values.ts'
import type { Door } from '../sayable.ts'
import type { Options } from './options.ts'
import { patientClient, patientRpc } from './patience.ts'

/** A protocol, its client, and an account that was made over it and has the same history as the others. */
export type Actor = {
  client: Client
  account: Belongings
  /** Filters of the node: one to read, and one to end. An address may have few. */
  filters: { read: string; ended: string } | null
}

/** What a gateway says of itself, and who asks it. */
export type Cast = {
  actors: readonly Actor[]
  rpc: readonly RpcClient[]
  isSandbox: boolean
  /** Whether responses say what is left of a rate. */
  showsRates: boolean
  latest: { number: string; hash: string; transaction: string }
  tokenFor(auth: Auth, account: Belongings): string | undefined
}

/** Opens a client of each protocol, and makes an account over each. `until`: the end of its patience, in ms. */
export async function castOf(options: Options, until: number, say: (line: string) => void): Promise<Cast> {
  const { rest, grpc, rpc, operatorToken } = options
  const clients = [
    ...(rest === null ? [] : [restClient(rest), trpcClient(rest)]),
    ...(grpc === null ? [] : [grpcClient(grpc)]),
  ].map((client) => patientClient(client, until))
  const info = await Promise.all(clients.map((client) => client.call('system.info', {})))
  const [first] = info
  if (first === undefined || !first.ok) throw new Error(`system.info failed: ${JSON.stringify(first)}`)
  const { sandbox: isSandbox, version, chains } = first.output as never as Info
  say(`Trident ${version}, ${chains.map(({ name }) => name).join(', ')}${isSandbox ? ', a sandbox' : ''}`)
  const node = clients.findLast(({ protocol }) => protocol !== 'rest') as Client // REST has no methods of the node
  const latest = await output(node.call('chain.getBlockByNumber', { block: 'latest', fullTransactions: false }))
  const needsFilters = options.only.length === 0 || options.only.some((id) => id.includes('Filter'))
  const accounts = clients.map(async (client) => ({
    client,
    account: await belongingsOf(client, await (isSandbox ? fundedAccount : newAccount)(client), { isSandbox }),
    filters: needsFilters
      ? { read: await filterOf(node, latest.number), ended: await filterOf(node, latest.number) }
      : null,
  }))
  const actors = await Promise.all(accounts)
  say(`Made ${actors.length} accounts.`)
  const ways = rpc === null ? [] : (['rpcByName', 'rpcByPlace'] as const)
  return {
    actors,
    rpc: ways.map((way) => patientRpc(rpcClient(rpc ?? '', way), until)),
    isSandbox,
    showsRates: info.some(({ headers }) => headers['x-ratelimit-limit'] !== undefined),
    latest: { number: latest.number, hash: latest.hash, transaction: latest.transactions[0] ?? latest.hash },
    tokenFor(auth, { token, userToken }) {
      if (auth === 'none') return undefined
      return { user: userToken, session: token, any: userToken, operator: operatorToken ?? undefined }[auth]
    },
  }
}

/** A filter of one block, whose logs stay the same. */
async function filterOf(client: Client, block: string): Promise<string> {
  return await output(client.call('chain.newFilter', { filter: { fromBlock: block, toBlock: block } }))
}

type Info = { version: string; sandbox: boolean; chains: { name: string }[] }

/** What moves money, which only a sandbox is asked for unprompted. */
export const movingMoney: ReadonlySet<string> = new Set([
  ...operations().flatMap(([id, { trades }]) => (trades === undefined ? [] : [id])),
  'chain.claimFaucet',
  'chain.sendRawTransaction',
  'chain.sendRawTransactionSync',
])

/** The column of a protocol; both ways of JSON-RPC are one. */
export function columnOf(door: Door): string {
  return door.startsWith('rpc') ? 'rpc' : door
}
