import { isDeepStrictEqual } from 'node:util'
import { inRestWords, type OperationId, operations } from '../../../src/contract/index.ts'
import { type ErrorCode, errorTable, gatewayCodes, rpcCodeOf } from '../../../src/contract/shared/errors.ts'
import { codesOf, type Operation } from '../../../src/contract/shared/operation.ts'
import { password } from '../../accounts.ts'
import { type Client, type Outcome, output, type Refusal } from '../../clients/client.ts'
import type { RpcClient } from '../../clients/json-rpc.ts'
import { canonical } from '../canonical.ts'
import { type Belongings, beginning, blockwise, endless, liveInputs } from '../live-values.ts'
import { masked, maskedParts, withoutFresh } from '../masked.ts'
import type { Actor, Cast } from './actors.ts'
import { type Check, must, shown } from './check.ts'
import { checkRefusal, said } from './refusals.ts'

/** What came: the outputs of a call as a list, whether it streams or not, or its refusal. */
type Answer = { outputs: unknown[]; headers: Record<string, string> } | Refusal

/** These end the token or the account that asks, in this order. */
const farewells: readonly OperationId[] = [
  'auth.logout',
  'auth.changePassword',
  'auth.logoutEverywhere',
  'auth.deleteAccount',
]
export const newPassword = 'another of the same length'

/** They would stop the chain of everybody. */
const stopping: readonly OperationId[] = ['chain.adminStartSequencer', 'chain.adminStopSequencer']

/** Valid inputs get an output that its schema accepts or an error that the operation declares, the same on all protocols. */
export function answerChecks(cast: Cast): Check[] {
  return inOrder().flatMap(([id, operation]) => {
    const actors = cast.actors.filter(({ client }) => client.protocol !== 'rest' || operation.http !== undefined)
    const answers = new Map<Actor, Promise<Answer>>()
    const answerOf = (actor: Actor) => {
      const answer = answers.get(actor) ?? answered(cast, actor, id, operation)
      answers.set(actor, answer)
      return answer
    }
    const common = {
      id,
      isLast: farewells.includes(id),
      ...(stopping.includes(id) ? { notJudged: 'it would stop the chain of everybody' } : {}),
    }
    const [first] = actors
    return actors.flatMap((actor) => {
      const door = actor.client.protocol
      const own = { ...common, door, lane: `${door} answers` }
      const answers: Check = {
        ...own,
        rule: 'answers',
        name: 'answers as its schema or its errors say',
        judge: async () => checkAnswer(actor.client, operation, await answerOf(actor)),
      }
      if (first === undefined || actor === first) return [answers]
      const agrees: Check = {
        ...own,
        rule: 'agrees',
        name: `agrees with ${first.client.protocol}`,
        judge: async () => mustBeAlike(id, await answerOf(first), await answerOf(actor)),
      }
      return [answers, agrees]
    })
  })
}

/** The operations, those that end tokens last and in their order. */
function inOrder() {
  const place = ([id]: readonly [OperationId, Operation]) => farewells.indexOf(id)
  return operations().toSorted((one, other) => place(one) - place(other))
}

/** Asks an operation with things that exist. Registration was asked when the account was made. */
async function answered(cast: Cast, actor: Actor, id: OperationId, operation: Operation): Promise<Answer> {
  const { client, account } = actor
  if (id === 'auth.register') return { outputs: [account.registered], headers: {} }
  const input = inputFor(cast, actor, id, operation)
  const token = farewells.includes(id) ? await freshToken(client, account) : cast.tokenFor(operation.auth, account)
  if (endless.has(id)) return await eventsOf(async () => await beginning(client, id, input, token))
  if (operation.kind === 'stream') return await eventsOf(() => Array.fromAsync(client.stream(id, input, token)))
  const requestId = crypto.randomUUID()
  const outcome = await client.call(id, input, token, { requestId })
  checkHeaders(cast, client.protocol, operation, outcome, requestId)
  // An address has few filters.
  if (/^chain\.new\w*Filter$/.test(id) && outcome.ok)
    await client.call('chain.uninstallFilter', { filterId: outcome.output as string })
  return outcome.ok ? { outputs: [outcome.output], headers: outcome.headers } : outcome
}

async function eventsOf(read: () => Promise<unknown[]>): Promise<Answer> {
  try {
    return { outputs: await read(), headers: {} }
  } catch (error) {
    if (error instanceof Error && 'refusal' in error) return error.refusal as Refusal
    throw error
  }
}

/** A token of its own for what ends tokens, by either password. */
async function freshToken(client: Client, { email }: Belongings): Promise<string> {
  for (const word of [password, newPassword]) {
    const outcome = await client.call('auth.login', { username: email, password: word })
    if (outcome.ok) return (outcome.output as { access_token: string }).access_token
  }
  return await output(client.call('auth.login', { username: email, password }))
}

/** An input with things that exist, at one block. */
export function inputFor(cast: Cast, actor: Actor, id: OperationId, { example, rpc }: Operation): object {
  const { account } = actor
  const own: Partial<Record<OperationId, object>> = {
    'auth.changePassword': { current_password: password, new_password: newPassword },
    'auth.deleteAccount': { password: newPassword, keys_exported: true },
    'operator.grantWallet': { ...example.input, email: account.email },
  }
  const input = own[id] ?? liveInputs[id]?.(account) ?? example.input
  return rpc === undefined ? input : (atBlock(cast, actor, id, input) as object)
}

/** The input of a method of the node, about the latest block as it was, and about things that exist. */
function atBlock({ latest }: Cast, { account, filters }: Actor, id: OperationId, input: unknown): unknown {
  const [, tokenAddress = ''] = account.symbols.map((symbol) => account.address(symbol))
  const isOfBlock = /Block.*Hash|ByHash$|ByBlockHash/.test(id) && id !== 'chain.getTransactionByHash'
  const named = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((part) => named(part))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, named(part, name)]))
    if (value === 'latest' || value === 'pending' || value === '0x1b4') return latest.number
    if (key === 'hash') return isOfBlock ? latest.hash : latest.transaction
    if (key === 'filterId') return id === 'chain.uninstallFilter' ? filters?.ended : filters?.read
    return (key === 'address' || key === 'to') && typeof value === 'string' ? tokenAddress : value
  }
  return named(input)
}

/** Headers that every response has. */
function checkHeaders(cast: Cast, protocol: string, operation: Operation, outcome: Outcome, requestId: string): void {
  const { headers } = outcome
  const isThere = (name: string) => must(headers[name] !== undefined, () => `No ${name} is among ${shown(headers)}`)
  must(
    headers['x-request-id'] === requestId,
    () => `x-request-id is ${headers['x-request-id']}, and ${requestId} was sent.`,
  )
  if (cast.showsRates && !protocol.startsWith('rpc'))
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) isThere(name)
  if (operation.secret === true && outcome.ok)
    must(headers['cache-control'] === 'no-store', () => `cache-control is not no-store: ${shown(headers)}`)
}

function checkAnswer(client: Client | RpcClient, operation: Operation, answer: Answer): void {
  if ('outputs' in answer) {
    must(answer.outputs.length > 0 || operation.kind === 'stream', () => 'There was no answer.')
    for (const part of answer.outputs) mustFit(operation, part)
    return
  }
  const declared: readonly string[] = [...codesOf(operation), ...gatewayCodes]
  must(answer.code !== 'INTERNAL' && declared.includes(answer.code), () => `It does not declare ${said(answer)}`)
  checkRefusal(client.protocol, operation, answer, answer.requestId ?? '')
}

/** The output is what its schema makes of it: nothing is missing, nothing is more. */
function mustFit({ output: schema }: Operation, part: unknown): void {
  const { success, data, error } = schema.safeParse(part)
  must(success, () => `The answer is not what its schema says: ${shown(error?.issues.slice(0, 3))}`)
  must(isDeepStrictEqual(data, part), () => `The answer has fields that its schema does not have: ${shown(part)}`)
}

/** Answers of accounts with the same history differ in ids, times and numbers alone. */
function mustBeAlike(id: OperationId, one: Answer, other: Answer): void {
  const shape = (answer: Answer): unknown => {
    if ('outputs' in answer)
      return (blockwise.has(id) ? maskedParts : masked)(shortHexMasked(answer.outputs) as unknown[])
    return { code: answer.code, message: masked(inRestWords(answer.message)) }
  }
  const [expected, got] = [shape(one), shape(other)]
  must(isDeepStrictEqual(expected, got), () => `It differs: ${shown(got)} instead of ${shown(expected)}`)
}

/** Without short hex, and without how a session was last used: by each protocol. */
function shortHexMasked(value: unknown): unknown {
  const text = JSON.stringify(value).replace(/"0x[0-9a-fA-F]*"/g, '"<hex>"')
  return JSON.parse(text, (key, part) => (key.startsWith('last_used_') ? undefined : part))
}

/** The answer to a reading without what differs between any two requests. A refusal is the code that JSON-RPC has for it. */
function essence({ output: schema }: Operation, outcome: Outcome): unknown {
  if (outcome.ok) return withoutFresh(canonical(schema, schema.parse(outcome.output)))
  const isRow = Object.hasOwn(errorTable, outcome.code)
  return { refused: isRow ? rpcCodeOf(outcome.code as ErrorCode, outcome.metadata) : outcome.status }
}

/** One account reads the same on every protocol. What changes by itself from one reading to the next is compared by shape. */
export function agreementChecks(cast: Cast): Check[] {
  const readings = operations().filter(
    ([, { kind, readOnly, http }]) => kind === 'unary' && (readOnly === true || http?.method === 'GET'),
  )
  const [first] = cast.actors
  if (first === undefined) return []
  return readings.flatMap(([id, operation]) => {
    const able = [...cast.actors.map(({ client }) => client), ...cast.rpc].filter((client) =>
      client.protocol.startsWith('rpc')
        ? operation.rpc !== undefined
        : client.protocol !== 'rest' || operation.http !== undefined,
    )
    const [base, ...others] = able
    if (base === undefined) return []
    return others.map((client) => ({
      id,
      door: client.protocol,
      rule: 'reads the same',
      name: `reads the same as ${base.protocol}`,
      lane: 'readings',
      judge: async () => await mustReadAlike(cast, first, id, operation, base, client),
    }))
  })
}

async function mustReadAlike(
  cast: Cast,
  actor: Actor,
  id: OperationId,
  operation: Operation,
  base: Client | RpcClient,
  client: Client | RpcClient,
): Promise<void> {
  const input = inputFor(cast, actor, id, operation)
  const token = cast.tokenFor(operation.auth, actor.account)
  const read = async (by: Client | RpcClient) =>
    essence(operation, orNull(operation, by, await by.call(id, input, token)))
  let pair: unknown[] = []
  let isSteady = false
  for (let tries = 0; tries < 5; tries += 1) {
    const [before, other, after] = [await read(base), await read(client), await read(base)]
    pair = [before, other]
    if (isDeepStrictEqual(before, other) || isDeepStrictEqual(after, other)) return
    // The base reads the same before and after: what differs does not change by itself.
    isSteady = isDeepStrictEqual(before, after)
    if (isSteady) break
  }
  const [expected, got] = isSteady ? pair : pair.map((part) => masked(shortHexMasked(part)))
  must(isDeepStrictEqual(expected, got), () => `It reads ${shown(got)}, and ${base.protocol} ${shown(expected)}`)
}

/** NOT_FOUND is the result null over JSON-RPC, for methods that say so. */
function orNull({ rpc }: Operation, { protocol }: Client | RpcClient, outcome: Outcome): Outcome {
  const isNull = protocol.startsWith('rpc') && rpc?.orNull === true && outcome.ok && outcome.output === null
  const { headers } = outcome
  return isNull ? { ok: false, code: 'NOT_FOUND', status: 0, message: '', violations: [], headers } : outcome
}
