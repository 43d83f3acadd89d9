import { operations } from '../../../src/contract/index.ts'
import type { Auth } from '../../../src/contract/shared/operation.ts'
import { fundedAccount, newAccount, newEmail } from '../../accounts.ts'
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
export type Caller = {
  client: Client
  account: Belongings
  /** Filters of the node: one to read, and one to end. An address may have few. */
  filters: { read: string; ended: string } | null
}

/** What a gateway says of itself, and who asks it. */
export type Setup = {
  callers: readonly Caller[]
  rpc: readonly RpcClient[]
  isSandbox: boolean
  /** Whether responses say what is left of a rate. */
  showsRates: boolean
  /** The newest block as the run began, one some blocks before, and a transaction. */
  latest: { number: string; before: string; hash: string; transaction: string }
  tokenFor(auth: Auth, account: Belongings): string | undefined
}

/** An account that a run has made, or was about to make, and has to delete. */
export type MadeAccount = { client: Client; email: string }

/** A client of REST, tRPC and gRPC, where their address is given. `until`: the end of its patience, in ms. */
export function clientsOf({ rest, grpc }: Options, until: number): Client[] {
  const clients = [
    ...(rest === null ? [] : [restClient(rest), trpcClient(rest)]),
    ...(grpc === null ? [] : [grpcClient(grpc)]),
  ]
  return clients.map((client) => patientClient(client, until))
}

/** Makes an account over each client. `made` gets it before it is made. */
export async function setUp(
  options: Options,
  clients: readonly Client[],
  made: MadeAccount[],
  until: number,
  say: (line: string) => void,
): Promise<Setup> {
  const { rpc, operatorToken } = options
  const info = await Promise.all(clients.map((client) => infoOf(client, options)))
  const [{ sandbox: isSandbox, version, chains }] = info.map(({ output }) => output) as [Info]
  say(`Trident ${version} on ${chains.map(({ name }) => name).join(', ')}${isSandbox ? ', with play money' : ''}`)
  if (rpc !== null) await mustBeThere(rpc)
  const refused = await Promise.all(clients.map((client) => client.call('system.info', { no_such_field: 1 })))
  const node = clients.findLast(({ protocol }) => protocol !== 'rest') as Client // REST has no methods of the node
  const needsTrades = options.only.length === 0 || options.only.some((id) => id.startsWith('trading.'))
  const accounts = clients.map(async (client) => {
    const email = newEmail()
    made.push({ client, email })
    const account = await (isSandbox ? fundedAccount : newAccount)(client, email)
    return { client, account: await belongingsOf(client, account, { movesMoney: isSandbox && needsTrades }) }
  })
  const ready = await Promise.all(accounts)
  // Now it has their trades.
  const latest = await output(node.call('chain.getBlockByNumber', { block: 'latest', fullTransactions: false }))
  const needsFilters = options.only.length === 0 || options.only.some((id) => id.includes('Filter'))
  const filter = () => filterOf(node, latest.number)
  const callers = await Promise.all(
    ready.map(async (one) => ({
      ...one,
      filters: needsFilters ? { read: await filter(), ended: await filter() } : null,
    })),
  )
  say(`Made an account over each of ${clients.map(({ protocol }) => protocol).join(', ')}.`)
  if (operatorToken !== null) await mustBeOperator(node, operatorToken)
  const ways = rpc === null ? [] : (['rpcByName', 'rpcByPlace'] as const)
  return {
    callers,
    rpc: ways.map((way) => patientRpc(rpcClient(rpc ?? '', way), until)),
    isSandbox,
    showsRates: [...info, ...refused].some(({ headers }) => headers['x-ratelimit-limit'] !== undefined),
    latest: {
      number: latest.number,
      before: `0x${Math.max(0, Number(latest.number) - 50).toString(16)}`,
      hash: latest.hash,
      transaction: latest.transactions[0] ?? latest.hash,
    },
    tokenFor(auth, { token, userToken }) {
      if (auth === 'none') return undefined
      return { user: userToken, session: token, any: userToken, operator: operatorToken ?? undefined }[auth]
    },
  }
}

/** What `system.info` answers; an error that says which address does not, and why. */
async function infoOf(client: Client, { rest, grpc }: Options) {
  const where = client.protocol === 'grpc' ? `--grpc ${grpc}` : `--rest ${rest}`
  const outcome = await client
    .call('system.info', {})
    .catch((error: Error) => ({ ok: false as const, message: reasonOf(error) }))
  if (outcome.ok && typeof (outcome.output as Info).sandbox === 'boolean') return outcome
  const why = outcome.ok ? 'it answered something else' : outcome.message
  throw new Error(`No gateway answers ${client.protocol} at ${where}: ${why}. Its start prints its addresses.`)
}

/** What `fetch` says, with its cause. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message || error.cause.name}` : error.message
}

async function mustBeThere(rpc: string): Promise<void> {
  const asked = rpcClient(rpc, 'rpcByPlace').call('chain.chainId', {})
  const outcome = await asked.catch((error: Error) => ({ ok: false as const, message: reasonOf(error) }))
  if (!outcome.ok || !/^0x/.test(String(outcome.output)))
    throw new Error(
      `No node answers JSON-RPC at --rpc ${rpc}: ${outcome.ok ? 'it answered something else' : outcome.message}.`,
    )
}

async function mustBeOperator(client: Client, token: string): Promise<void> {
  const outcome = await client.call('operator.getCaps', {}, token)
  if (!outcome.ok && outcome.code === 'UNAUTHENTICATED')
    throw new Error('--operator-token is not the OPERATOR_TOKEN of this gateway.')
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
