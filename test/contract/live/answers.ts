import { isDeepStrictEqual } from 'node:util'
import { inRestWords, type OperationId, operations } from '../../../src/contract/index.ts'
import { type ErrorCode, gatewayCodes } from '../../../src/contract/shared/errors.ts'
import { codesOf, type Operation } from '../../../src/contract/shared/operation.ts'
import { password } from '../../accounts.ts'
import { type Client, output, type Refusal } from '../../clients/client.ts'
import { type Belongings, blockwise, endless, momentary } from '../live-values.ts'
import { masked, maskedParts } from '../masked.ts'
import { type Check, must, NotJudged, shown } from './check.ts'
import { inputFor, newPassword } from './inputs.ts'
import { eventsInTime } from './patience.ts'
import { checkRefusal, said } from './refusals.ts'
import type { Caller, Setup } from './setup.ts'

/** What came: the outputs of a call as a list, whether it streams or not, or its refusal. A stream has no headers here. */
type Answer =
  | { outputs: unknown[]; requestId: string; headers?: Record<string, string> }
  | { refusal: Refusal; requestId: string }

/** These end the token or the account that asks, in this order. */
const endings: readonly OperationId[] = [
  'auth.logout',
  'auth.changePassword',
  'auth.logoutEverywhere',
  'auth.deleteAccount',
]

/** They would stop the chain of everybody. */
const stopping: readonly OperationId[] = ['chain.adminStartSequencer', 'chain.adminStopSequencer']

/** Valid inputs get an output that its schema accepts or an error that the operation declares, the same on all protocols. */
export function answerChecks(setup: Setup): Check[] {
  return inOrder().flatMap(([id, operation]) => {
    const callers = setup.callers.filter(({ client }) => client.protocol !== 'rest' || operation.http !== undefined)
    const answers = new Map<Caller, Promise<Answer>>()
    const answerOf = (caller: Caller) => {
      const answer = answers.get(caller) ?? answered(setup, caller, id, operation)
      answers.set(caller, answer)
      return answer
    }
    const common = {
      id,
      isLast: endings.includes(id),
      ...(stopping.includes(id) ? { leftOut: 'it would stop the chain of everybody' } : {}),
    }
    const [first] = callers
    return callers.flatMap((caller) => {
      const door = caller.client.protocol
      // What an operator changes is everybody's, so the protocols take turns.
      const lane = operation.auth === 'operator' ? 'operator answers' : `${door} answers`
      const own = { ...common, door, lane }
      const answers: Check = {
        ...own,
        rule: 'answers',
        name: 'answers as its schema or its errors say',
        judge: async () => checkAnswer(setup, caller.client.protocol, id, operation, await answerOf(caller)),
      }
      if (first === undefined || caller === first) return [answers]
      const agrees: Check = {
        ...own,
        rule: 'agrees',
        name: `agrees with ${first.client.protocol}`,
        async judge() {
          const answers = await Promise.all([answerOf(first), answerOf(caller)])
          // Where one of them is at fault by itself, that says more.
          if (answers.some((answer) => !isDeclared(id, operation, answer)))
            throw new NotJudged('one of the two is at fault by itself')
          mustBeAlike(id, ...answers)
        },
      }
      return [answers, agrees]
    })
  })
}

/** The operations, those that end tokens last and in their order. */
function inOrder() {
  const place = ([id]: readonly [OperationId, Operation]) => endings.indexOf(id)
  return operations().toSorted((one, other) => place(one) - place(other))
}

/** Asks an operation with things that exist. Registration was asked when the account was made. */
async function answered(setup: Setup, caller: Caller, id: OperationId, operation: Operation): Promise<Answer> {
  const { client, account } = caller
  const requestId = crypto.randomUUID()
  if (id === 'auth.register') return { outputs: [account.registered], requestId }
  const input = inputFor(setup, caller, id, operation)
  const token = endings.includes(id) ? await freshToken(client, account) : setup.tokenFor(operation.auth, account)
  if (operation.kind === 'stream') return await eventsOf(client, id, input, token, requestId)
  const outcome = await client.call(id, input, token, { requestId })
  // An address has few filters.
  if (/^chain\.new\w*Filter$/.test(id) && outcome.ok)
    await client.call('chain.uninstallFilter', { filterId: outcome.output as string })
  if (!outcome.ok) return { refusal: outcome, requestId }
  return { outputs: [outcome.output], requestId, headers: outcome.headers }
}

/** The events of a stream, or the first of one that goes on by itself. */
async function eventsOf(
  client: Client,
  id: OperationId,
  input: object,
  token: string | undefined,
  requestId: string,
): Promise<Answer> {
  const most = endless.has(id) ? 1 : Number.POSITIVE_INFINITY
  try {
    const read = endless.has(id)
      ? eventsInTime(client, most, id, input, token, { requestId })
      : Array.fromAsync(client.stream(id, input, token, undefined, { requestId }))
    return { outputs: await read, requestId }
  } catch (error) {
    if (error instanceof Error && 'refusal' in error) return { refusal: error.refusal as Refusal, requestId }
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

/** Headers that every response has. */
function checkHeaders(setup: Setup, operation: Operation, headers: Record<string, string>, requestId: string): void {
  const isThere = (name: string) => must(headers[name] !== undefined, () => `No ${name} is among ${shown(headers)}`)
  must(
    headers['x-request-id'] === requestId,
    () => `x-request-id is ${headers['x-request-id']}, and ${requestId} was sent.`,
  )
  if (setup.showsRates)
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) isThere(name)
  if (operation.secret === true)
    must(headers['cache-control'] === 'no-store', () => `cache-control is not no-store: ${shown(headers)}`)
}

/** Codes that no valid input of a caller with the right token gets, though the gateway itself may answer them. */
const neverOfValid: ReadonlySet<string> = new Set([
  'INVALID_ARGUMENT',
  'UNAUTHENTICATED',
  'MALFORMED_REQUEST',
  'UNSUPPORTED_MEDIA_TYPE',
  'CANCELLED',
  'INTERNAL',
])

/** Valid inputs that are refused wherever nothing of theirs exists, with the code: not what a sandbox must do. */
const refusedAnyway: Partial<Record<OperationId, ErrorCode>> = {
  'auth.deleteAccount': 'FAILED_PRECONDITION', // while a trade is not final
  'chain.bridgeStatus': 'NOT_FOUND',
  'chain.estimateGas': 'EXECUTION_REVERTED',
  'chain.sendRawTransaction': 'INVALID_ARGUMENT', // it cannot be decoded
  'chain.sendRawTransactionSync': 'INVALID_ARGUMENT',
  'chain.watchBridge': 'NOT_FOUND',
  'operator.grantWallet': 'FAILED_PRECONDITION', // without a remote signer
}

function isDeclared(id: OperationId, operation: Operation, answer: Answer): boolean {
  if ('outputs' in answer) return answer.outputs.every((part) => operation.output.safeParse(part).success)
  const { code } = answer.refusal
  if (code === refusedAnyway[id]) return true
  const declared: readonly string[] = [...codesOf(operation), ...gatewayCodes]
  return declared.includes(code) && !neverOfValid.has(code)
}

function checkAnswer(
  setup: Setup,
  protocol: Client['protocol'],
  id: OperationId,
  operation: Operation,
  answer: Answer,
) {
  if ('outputs' in answer) {
    for (const part of answer.outputs) mustFit(operation, part)
    if (answer.headers !== undefined) checkHeaders(setup, operation, answer.headers, answer.requestId)
    if (answer.outputs.length > 0) return
    must(!setup.isSandbox, () => 'The stream had no event.')
    throw new NotJudged('the stream had no event in time')
  }
  const { refusal, requestId } = answer
  must(isDeclared(id, operation, answer), () => `Valid input was refused, and not as declared: ${said(refusal)}`)
  checkRefusal(protocol, operation, refusal, requestId)
  if (refusal.code === 'UNIMPLEMENTED') throw new NotJudged('this gateway does not offer it')
  must(
    !setup.isSandbox || refusal.code === refusedAnyway[id],
    () => `A sandbox can do this, and refused it: ${said(refusal)}`,
  )
}

/** The output is what its schema makes of it: nothing is missing, nothing is more. */
export function mustFit({ output: schema }: Operation, part: unknown): void {
  const { success, data, error } = schema.safeParse(part)
  must(success, () => `The answer is not what its schema says: ${shown(error?.issues.slice(0, 3))}`)
  must(isDeepStrictEqual(data, part), () => `The answer has fields that its schema does not have: ${shown(part)}`)
}

/** Answers of accounts with the same history differ in ids, times and numbers alone. */
function mustBeAlike(id: OperationId, one: Answer, other: Answer): void {
  if (momentary.has(id) && 'outputs' in one && 'outputs' in other) return
  const shape = (answer: Answer): unknown => {
    if ('outputs' in answer)
      return (blockwise.has(id) ? maskedParts : masked)(shortHexMasked(answer.outputs) as unknown[])
    return { code: answer.refusal.code, message: masked(inRestWords(answer.refusal.message)) }
  }
  const [expected, got] = [shape(one), shape(other)]
  must(isDeepStrictEqual(expected, got), () => `It differs: ${shown(got)} instead of ${shown(expected)}`)
}

/** Without short hex, and without how a session was last used: by each protocol. */
export function shortHexMasked(value: unknown): unknown {
  const text = JSON.stringify(value).replace(/"0x[0-9a-fA-F]*"/g, '"<hex>"')
  return JSON.parse(text, (key, part) => (key.startsWith('last_used_') ? undefined : part))
}
