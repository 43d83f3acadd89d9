import { Wallet } from '@ethereumjs/wallet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OperationId, operations } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { type Client, eventsOf, type Outcome, output, type Protocol, type Refusal } from '../clients/client.ts'
import { beginning, endless, liveInputs, type Prepared, prepare } from '../contract/live-values.ts'
import { masked } from '../contract/masked.ts'
import { type OwnedField, ownedPlaces, type Place, unclassifiedFields } from '../contract/owned-fields.ts'
import { isLong } from '../sized.ts'
import { openWorld, protocols, type World } from '../world.ts'

type Answer = { answer: unknown; headers: string[] }

const mark = crypto.randomUUID().slice(0, 8)
/** Names that other users may choose too. */
const shared = { made: `made-${crypto.randomUUID()}`, brought: `brought-${crypto.randomUUID()}` }
let world: World
/** Ada's data by the fields that name it, and every text that only she may see. */
let adas: Record<OwnedField, string>
let secrets: string[]
/** Facts about Ada that are public on the chain, without her name. */
let onChain: string[]
/** Risk reports quote the largest transfers of a token, whoever made them. */
const quotesTheChain = /^trading\.(assessRisk|execute|previewRun)$/
let ada: Prepared
let before: unknown
/** A stranger for each protocol, with one of each thing. */
let eves: Record<Protocol, Prepared>
const count = { operations: 0, calls: 0 }

beforeAll(async () => {
  world = await openWorld({ OPERATOR_TOKEN: 'the-operator-of-this-world' })
  const [owner, rest, trpc, grpc] = await Promise.all([0, 1, 2, 3].map(() => prepare(world)))
  ada = owner!
  eves = { rest: rest!, trpc: trpc!, grpc: grpc! }
  await own()
  before = await estate()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  console.log(`${count.operations} operations walked by strangers, ${count.calls} calls`)
})

const asked = (id: OperationId, input: object, token = ada.token) => output(world.clients.rest.call(id, input, token))

/** Creates everything that operations can name for Ada, with unique names. */
async function own(): Promise<void> {
  const vaults = await Promise.all(
    [`vault-${mark}`, ...Object.values(shared)].map((wallet_ref) => asked('trading.createWallet', { wallet_ref })),
  )
  // A preview waits for the starting money of its wallet, which would else arrive while others walk.
  const previewed = { input: ada.swap('WETH', 'USDC', '0.001') }
  await Promise.all(vaults.map(({ wallet_ref }) => asked('trading.execute', { ...previewed, wallet_ref })))
  const key = `rebalance-${crypto.randomUUID()}`
  const trade = await asked('trading.execute', ada.order('WETH', 'USDC', '0.013', key))
  await asked('trading.execute', ada.order('WETH', 'USDC', '0.014', `${key}-2`))
  await asked('auth.renameSession', { session_id: ada.sessionId, name: `desk-${mark}` }, ada.userToken)
  const spoken = { messages: [{ role: 'user', content: `quote 1 WETH to USDC, said ${mark}` }] }
  const [said] = await eventsOf(world.clients.rest.stream('chat.stream', spoken, ada.token))
  const stream: string = said.id.split(':')[0]
  const page = await asked('trading.listExecutions', { limit: 1 })
  const subscribed = await world.clients.rest.call(
    'tools.subscribeExchange',
    exampleOf('tools.subscribeExchange'),
    ada.token,
  )
  const subscription = subscribed.ok
    ? (subscribed.output as { subscription_id: string }).subscription_id
    : crypto.randomUUID()
  adas = {
    execution_id: trade.execution_id,
    session_id: ada.sessionId,
    stream_id: stream,
    subscription_id: subscription,
    quote_id: ada.quote.quote_id,
    wallet_ref: `vault-${mark}`,
    idempotency_key: key,
    cursor: page.next_cursor,
    after_id: `${stream}:1`,
    last_event_id: `${trade.execution_id}:1`,
    wallet_address: ada.wallet,
  }
  const { wallet_address: _, idempotency_key: __, ...hidden } = adas
  secrets = [mark, ada.email, ada.spare, ...Object.values(hidden)]
  onChain = [ada.wallet, trade.tx_hash, ...vaults.map(({ address }) => address)]
}

type Trade = { execution_id: string; status: string; tx_hash: string; fill?: { amount_out: string } }

/** All of Ada's data that a stranger might have changed. */
async function estate(): Promise<unknown> {
  const positions = (await asked('metrics.positions', {})) as { token_symbol: string; quantity_decimal: string }[]
  const { items: executions } = await asked('trading.listExecutions', {})
  return {
    // Reading it is a use of the session too.
    sessions: (await asked('auth.listSessions', {})).map(
      ({ token: _, last_used_at: __, ...session }: Record<string, unknown>) => session,
    ),
    wallets: await asked('trading.listWallets', {}),
    policy: await asked('trading.getWalletPolicy', { wallet_ref: 'default' }),
    // The finality of their blocks changes by itself.
    executions: executions.map(({ execution_id, status, tx_hash, fill }: Trade) => [
      execution_id,
      status,
      tx_hash,
      fill?.amount_out,
    ]),
    history: await asked('chat.history', {}),
    stream: await eventsOf(world.clients.rest.stream('chat.resume', { stream_id: adas.stream_id }, ada.token)),
    positions: positions.map(({ token_symbol, quantity_decimal }) => [token_symbol, quantity_decimal]),
    sent: await world.askChain('eth_getTransactionCount', [ada.wallet, 'latest']),
  }
}

function exampleOf(id: OperationId): object {
  return operations().find(([one]) => one === id)![1].example.input
}

/** The stranger's inputs for her own data; some can be sent only once, so they are created anew each time. */
async function ownInput(id: OperationId, eve: Prepared): Promise<object> {
  const name = crypto.randomUUID()
  if (id === 'trading.createWallet') return { wallet_ref: name }
  if (id === 'trading.execute') return eve.order('WETH', 'USDC', '0.001', name)
  if (id === 'auth.deleteSession')
    return { session_id: (await asked('auth.createSession', {}, eve.userToken)).session_id }
  const input = liveInputs[id]?.(eve) ?? exampleOf(id)
  if (id !== 'trading.importWallet') return input
  const password = 'password of a file'
  return { wallet_ref: name, keystore: await Wallet.generate().toV3(password, { kdf: 'pbkdf2', c: 1_000 }), password }
}

/** What she asks for herself. An export takes seconds of processor time: one has the password, the others are refused it. */
async function askedForHerself(id: OperationId, eve: Prepared): Promise<object> {
  const input = await ownInput(id, eve)
  const isCostly = !isLong && id === 'trading.exportWallet' && eve !== eves.rest
  return isCostly ? { ...input, account_password: 'not her password' } : input
}

function tokensOf(id: OperationId, { auth }: Operation, { token, userToken, leaving }: Prepared): string[] {
  const { [id]: own } = leaving
  if (own !== undefined) return [own]
  return { none: [], operator: [], user: [userToken], session: [token], any: [userToken, token] }[auth]
}

/** A wallet name that a stranger chooses is her own from then on, so each stranger has a different one. */
function hersFor(id: OperationId, field: OwnedField): string {
  if (field !== 'wallet_ref') return adas[field]
  return { 'trading.createWallet': shared.made, 'trading.importWallet': shared.brought }[id as string] ?? adas[field]
}

/** Another value of the same form that names nothing. */
function unknownLike(value: string): string {
  const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
  if (uuid.test(value)) return value.replaceAll(uuid, () => crypto.randomUUID())
  return value.replaceAll(/[0-9a-f]{8,}/gi, (run) => randomHex(run.length))
}

const randomHex = (digits: number) =>
  [...crypto.getRandomValues(new Uint8Array(digits))].map((byte) => (byte % 16).toString(16)).join('')

function withValue(input: object, { path }: Place, value: string): object {
  const copy = structuredClone(input) as Record<string, unknown>
  let at = copy
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>
  at[path.at(-1)!] = value
  return copy
}

async function ask(client: Client, id: OperationId, kind: string, input: object, token?: string): Promise<Answer> {
  count.calls += 1
  const outcome = kind === 'stream' ? await streamed(client, id, input, token) : await client.call(id, input, token)
  const headers = Object.keys(outcome.headers).sort()
  if (outcome.ok) return { answer: outcome.output, headers }
  const { code, status, message, violations } = outcome
  return { answer: { code, status, message, violations }, headers }
}

async function streamed(client: Client, id: OperationId, input: object, token?: string): Promise<Outcome> {
  try {
    const events = endless.has(id) ? beginning(client, id, input, token) : eventsOf(client.stream(id, input, token))
    return { ok: true, output: await events, headers: {} }
  } catch (error) {
    if (error instanceof Error && 'refusal' in error) return error.refusal as Refusal
    throw error
  }
}

/** A response without the value that was sent. */
function without({ answer, headers }: Answer, value: string): unknown {
  return masked({ answer: JSON.parse(JSON.stringify(answer).replaceAll(value, '<asked>')), headers })
}

function expectNoSecret(id: OperationId, { answer }: Answer, asked = ''): void {
  const text = JSON.stringify(answer)
    .replaceAll(asked === '' ? '\n' : asked, '<asked>')
    .toLowerCase()
  const hidden = [...secrets, ...(quotesTheChain.test(id) ? [] : onChain)].filter((secret) => !asked.includes(secret))
  expect(hidden.filter((secret) => text.includes(secret.toLowerCase()))).toEqual([])
}

test('every field that may name something of one account is classified', () => {
  expect(unclassifiedFields()).toEqual([])
})

describe.each(operations().filter(([, { auth }]) => auth !== 'none' && auth !== 'operator'))('%s', (id, operation) => {
  test.each(protocols)('shows and does nothing for another account over %s', async (protocol) => {
    count.operations += protocol === 'rest' ? 1 : 0
    const [client, eve] = [world.clients[protocol], eves[protocol]]
    for (const token of tokensOf(id, operation, eve)) {
      expectNoSecret(id, await ask(client, id, operation.kind, await askedForHerself(id, eve), token))
      for (const place of ownedPlaces(operation.input)) {
        const hers = hersFor(id, place.field)
        const nobodys = unknownLike(hers)
        expect(nobodys).not.toBe(hers)
        const [seen, unseen] = [
          await ask(client, id, operation.kind, withValue(await ownInput(id, eve), place, hers), token),
          await ask(client, id, operation.kind, withValue(await ownInput(id, eve), place, nobodys), token),
        ]
        expect([place.path.join('.'), without(seen, hers)]).toEqual([place.path.join('.'), without(unseen, nobodys)])
        expectNoSecret(id, seen, hers)
      }
    }
  })
})

test('operations without a token name nothing of an account', () => {
  const open = operations().filter(([, { auth }]) => auth === 'none')
  const places = open.flatMap(([id, { input }]) => ownedPlaces(input).map((place) => ({ id, ...place })))
  // A cursor of a public stream belongs to nobody.
  expect(places.filter(({ field }) => field !== 'last_event_id')).toEqual([])
})

test('operations of the operator are refused to every token of an account', async () => {
  const [owner, eve] = [ada, eves.rest]
  for (const [id, operation] of operations().filter(([, { auth }]) => auth === 'operator'))
    for (const client of protocols.filter((one) => one !== 'rest' || operation.http).map((one) => world.clients[one]))
      for (const token of [eve.token, eve.userToken, owner.token, owner.userToken])
        expect(await client.call(id, operation.example.input, token)).toMatchObject({ code: 'UNAUTHENTICATED' })
})

test('afterwards everything of the owner is unchanged', async () => {
  expect(await estate()).toEqual(before)
})
