import { randomBytes, randomUUID } from 'node:crypto'
import { inspect, isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OperationId, operations } from '../../src/contract/index.ts'
import { type ErrorCode, errorTable, rpcMessage } from '../../src/contract/shared/errors.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { DomainError } from '../../src/domain/core/errors.ts'
import { outOfBounds, parseInput } from '../../src/gateway/validation.ts'
import { type Client, eventsOf, type Outcome } from '../clients/client.ts'
import type { RpcClient } from '../clients/json-rpc.ts'
import { accepts, arbitraryOf } from './arbitrary.ts'
import { canonical } from './canonical.ts'
import { failureOf } from './failures.ts'
import { openPlannedWorld, type PlannedWorld, tokenFor } from './planned-world.ts'
import { shareOf } from './property-settings.ts'
import { createSayable, type Door, doorsOf, namesProto } from './sayable.ts'
import { spoiledOf } from './spoiled.ts'

type Input = Record<string, unknown>

let world: PlannedWorld
const sayable = createSayable()
const count = { valid: 0, invalid: 0, failures: 0, mismatches: 0 }
const calls: Partial<Record<Door, number>> = {}

beforeAll(async () => {
  world = await openPlannedWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  expect(world.unexpected).toEqual([])
  const { valid, invalid, failures, mismatches } = count
  const ways = Object.entries(calls).map(([door, number]) => `${door} ${number}`)
  console.log(
    `${operations().length} operations: ${valid + invalid} inputs (${valid} valid, ${invalid} invalid), ` +
      `${failures} failures, ${Object.values(calls).reduce((sum, number) => sum + number, 0)} calls (${ways.join(', ')}), ` +
      `${mismatches} mismatches`,
  )
})

/** Runs a property; it counts as a mismatch where it does not hold. */
async function holds<Value>(values: fc.Arbitrary<Value>, check: (value: Value) => Promise<void>, share = 1) {
  try {
    await fc.assert(fc.asyncProperty(values, check), shareOf(share))
  } catch (mismatch) {
    count.mismatches += 1
    throw mismatch
  }
}

/** The clients that can send an input, each with its response and its request id. */
async function ask(id: OperationId, operation: Operation, input: Input) {
  const able = world.clients.filter(({ protocol }) => sayable(protocol, id, operation, input))
  world.heard() // of an earlier, failed case
  const answers: { client: Client | RpcClient; outcome: Outcome; requestId: string; traceId: string }[] = []
  for (const client of able) {
    calls[client.protocol] = (calls[client.protocol] ?? 0) + 1
    const requestId = randomUUID()
    const traceId = randomBytes(16).toString('hex')
    const headers = { traceparent: `00-${traceId}-${'1'.repeat(16)}-01` }
    const outcome = await outcomeOf(client, id, operation, input, { requestId, headers })
    answers.push({ client, outcome, requestId, traceId })
  }
  return answers
}

type Options = { requestId: string; headers: Record<string, string> }

/** The outputs of a call, as a list whether it streams or not, or its refusal. */
async function outcomeOf(client: Client | RpcClient, id: OperationId, op: Operation, input: Input, options: Options) {
  const token = tokenFor(op.auth)
  if (op.kind === 'unary' || !('stream' in client)) {
    const outcome = await client.call(id, input, token, options)
    return outcome.ok ? { ...outcome, output: [outcome.output] } : outcome
  }
  try {
    const output = await eventsOf(client.stream(id, input, token, undefined, options))
    return { ok: true as const, output, headers: {} }
  } catch (error) {
    if (error instanceof Error && 'refusal' in error) return error.refusal as Outcome
    throw error
  }
}

/** Shrinking makes many requests. */
const patience = { timeout: 600_000 }

describe.each(operations())('%s', patience, (id, operation) => {
  const inputs = arbitraryOf(operation.input).filter(
    (input) => outOfBounds(input, operation.values) === null,
  ) as fc.Arbitrary<Input>
  const outputs = fc.array(arbitraryOf(operation.output), {
    minLength: 1,
    maxLength: operation.kind === 'unary' ? 1 : 3,
  })
  /**
   * The form in which a client carries an input or an output: over gRPC what protobuf can represent, else the value
   * itself.
   */
  const carried = (client: Client | RpcClient, side: 'input' | 'output', value: unknown) =>
    client.protocol === 'grpc' ? canonical(operation[side], value) : value

  test('takes and answers the same', async () => {
    const compared = new Set<Door>()
    await holds(fc.record({ input: inputs, outputs, replayed: fc.boolean() }), async ({ input, ...plan }) => {
      count.valid += 1
      world.plan(plan)
      const parsed = operation.input.parse(input)
      const promised = plan.outputs.map((output) => JSON.parse(JSON.stringify(operation.output.parse(output))))
      const answers = await ask(id, operation, input)
      const heard = world.heard()
      // Every valid value can be encoded as the message.
      if (!namesProto(input)) expect(answers.map(({ client }) => client.protocol)).toContain('grpc')
      expect(heard.map(({ requestId, traceId }) => ({ requestId, traceId }))).toEqual(
        answers.map(({ requestId, traceId }) => ({ requestId, traceId })),
      )
      for (const [index, { client, outcome, requestId }] of answers.entries()) {
        const sent = client.protocol.startsWith('rpc') ? plan.outputs : promised
        const output = sent.map((one) => carried(client, 'output', one))
        expect([client.protocol, outcome]).toMatchObject([client.protocol, { ok: true }])
        if (!outcome.ok) continue
        compared.add(client.protocol)
        const got = (outcome.output as unknown[]).map((one) => carried(client, 'output', one))
        expectSame(client, got, output)
        expectSame(client, carried(client, 'input', heard[index]?.input), carried(client, 'input', parsed))
        if (operation.kind === 'unary') expectHeaders(operation, outcome, requestId, plan.replayed)
      }
    })
    expect(doorsOf(operation).filter((door) => !compared.has(door))).toEqual([])
  })

  test('refuses the same', async () => {
    const invalid = spoiledOf(operation.input, inputs).filter(
      (input) =>
        !(accepts(operation.input, input) && outOfBounds(input, operation.values) === null) &&
        isOneWayOutOfBounds(input, operation.values) &&
        world.clients.some(({ protocol }) => sayable(protocol, id, operation, input)),
    )
    await holds(invalid, async (input) => {
      count.invalid += 1
      const refusal = refusalOfInput(operation, input)
      for (const { client, outcome, requestId } of await ask(id, operation, input))
        expectRefusal(client, operation, outcome, requestId, refusal)
      expect(world.heard()).toEqual([])
    })
  })

  test('fails the same', async () => {
    await holds(
      fc.tuple(failureOf(operation), outputs),
      async ([failure, before]) => {
        count.failures += 1
        world.plan({ outputs: before, failure })
        const answers = await ask(id, operation, operation.example.input)
        expect(world.heard()).toHaveLength(answers.length)
        for (const { client, outcome, requestId } of answers) {
          if (failure.code === 'NOT_FOUND' && operation.rpc?.orNull === true && client.protocol.startsWith('rpc'))
            expect(outcome).toMatchObject({ ok: true, output: [null] })
          else expectRefusal(client, operation, outcome, requestId, failure)
        }
      },
      1 / 4,
    )
  })
})

/** Where several values cannot be encoded, each protocol names the first one that it reads. */
function isOneWayOutOfBounds(input: Input, values: number | undefined): boolean {
  return isDeepStrictEqual(
    outOfBounds(input, values),
    outOfBounds(Object.fromEntries(Object.entries(input).toReversed()), values),
  )
}

/** Compares field by field, including fields called `constructor`. */
function expectSame({ protocol }: Client | RpcClient, got: unknown, expected: unknown): void {
  if (isDeepStrictEqual(got, expected)) return
  const shown = (value: unknown) => [protocol, inspect(value, { depth: null })]
  expect(shown(got)).toEqual(shown(expected))
  throw new Error(`${protocol}: the same text of another kind, ${inspect(got)}`)
}

/** The error of the validation for an invalid input. */
function refusalOfInput(operation: Operation, input: Input): DomainError {
  try {
    parseInput(operation.input, input, { values: operation.values })
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('The input is valid.')
}

function expectRefusal(client: Client | RpcClient, op: Operation, got: Outcome, requestId: string, error: DomainError) {
  const row = errorTable[error.code as ErrorCode]
  const { protocol } = client
  const status = protocol === 'grpc' ? row.grpc : protocol.startsWith('rpc') ? row.jsonRpc : row.http
  expect([protocol, got]).toMatchObject([protocol, { ok: false }])
  if (got.ok) return
  // The faucet has its own error format on REST, and reverts have their bytes as data on JSON-RPC.
  const own = protocol === 'rest' && op.refusal !== undefined
  const bare = protocol.startsWith('rpc') && got.requestId === undefined
  const { violations = [], metadata = {}, retryAfterSeconds } = error.details
  const message = protocol.startsWith('rpc') ? rpcMessage(status, error.message) : error.message
  expect([protocol, got.status, got.message]).toEqual([protocol, status, message])
  if (own || bare) return
  expect([protocol, got.code, got.requestId, got.violations]).toEqual([protocol, error.code, requestId, violations])
  expect([protocol, got.metadata]).toMatchObject([protocol, metadata])
  if (protocol.startsWith('rpc')) return
  const wait = retryAfterSeconds === undefined && row.retry ? 1 : (retryAfterSeconds ?? undefined)
  if (op.kind === 'unary') expect([protocol, got.headers['retry-after']]).toEqual([protocol, wait?.toString()])
}

/** Headers that every response has, with the same names and texts on every protocol. */
function expectHeaders(operation: Operation, { headers }: Outcome, requestId: string, replayed: boolean): void {
  expect(headers).toMatchObject({
    'x-request-id': requestId,
    'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
    'x-ratelimit-remaining': '1',
    'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
    ...(operation.secret ? { 'cache-control': 'no-store' } : {}),
    ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
  })
}
