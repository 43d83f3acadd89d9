import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inRestWords, type OperationId, operations } from '../../src/contract/index.ts'
import { type ErrorCode, errorTable } from '../../src/contract/shared/errors.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { outOfBounds } from '../../src/gateway/validation.ts'
import { type Client, type Outcome, type Protocol, type Refusal, refusalOf } from '../clients/client.ts'
import { type Anvil, startAnvil } from '../node/anvil.ts'
import { openWorld, protocols, type World } from '../world.ts'
import { arbitraryOf } from './arbitrary.ts'
import { canonical } from './canonical.ts'
import { beginning, blockwise, endless, liveInputs, naming, type Prepared, prepare } from './live-values.ts'
import { masked, maskedParts, withoutFresh } from './masked.ts'
import { shareOf } from './property-settings.ts'
import { createSayable } from './sayable.ts'

const operatorToken = 'the-operator-of-this-world'
let world: World
/** A remote signer with an account for each protocol. */
let signer: Anvil
/** One account for each protocol, with the same history, so that the same request has the same result. */
let accounts: Record<Protocol, Prepared>
const count = { calls: 0, answers: 0, retries: 0 }
const sayable = createSayable()

beforeAll(async () => {
  signer = await startAnvil([], { accounts: protocols.length })
  world = await openWorld({ OPERATOR_TOKEN: operatorToken, SIGNER_URL: signer.url })
  const vaults: string[] = await signer.call('eth_accounts')
  const [rest, trpc, grpc] = await Promise.all([0, 1, 2].map((index) => prepare(world, vaults[index])))
  accounts = { rest: rest!, trpc: trpc!, grpc: grpc! }
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await signer[Symbol.asyncDispose]()
  const { calls, answers, retries } = count
  console.log(
    `${operations().length} operations over ${protocols.length} protocols: ${calls} calls, ${answers} answers compared, ` +
      `${retries} asked again`,
  )
})

function clientsOf({ http }: Operation): Client[] {
  return protocols.filter((protocol) => protocol !== 'rest' || http !== undefined).map((one) => world.clients[one])
}

function tokenOf({ auth }: Operation, { token, userToken }: Prepared): string | undefined {
  if (auth === 'none') return undefined
  return { user: userToken, session: token, any: userToken, operator: operatorToken }[auth]
}

async function refused(client: Client, id: OperationId, operation: Operation, input: object, token?: string) {
  count.calls += 1
  const outcome: Outcome =
    operation.kind === 'stream' ? await refusalOf(client.stream(id, input, token)) : await client.call(id, input, token)
  if (outcome.ok) throw new Error(`${id} over ${client.protocol} was not refused: ${JSON.stringify(outcome.output)}`)
  const row = errorTable[outcome.code as ErrorCode]
  expect([outcome.code, outcome.status]).toEqual([outcome.code, client.protocol === 'grpc' ? row.grpc : row.http])
  return outcome
}

/** The parts of a refusal that must be the same on every protocol; REST alone names paths instead of operations. */
function essence({ code, message, violations }: Refusal) {
  return { code, message: inRestWords(message), violations }
}

async function answered(client: Client, id: OperationId, operation: Operation, input: object, token?: string) {
  count.calls += 1
  if (endless.has(id)) return await beginning(client, id, input, token)
  if (operation.kind === 'stream') return await Array.fromAsync(client.stream(id, input, token))
  const outcome = await client.call(id, input, token)
  return outcome.ok ? [outcome.output] : outcome
}

test.each(operations().filter(([, { auth }]) => auth !== 'none'))(
  '%s refuses invalid tokens alike on every protocol',
  async (id, operation) => {
    const { token, userToken } = accounts.rest
    const wrongKind = { session: userToken, user: token, operator: token, any: undefined, none: undefined }
    for (const wrong of [undefined, 'nonsense', `${token}x`, wrongKind[operation.auth]]) {
      const asked = clientsOf(operation).map((client) => refused(client, id, operation, operation.example.input, wrong))
      const refusals = await Promise.all(asked)
      for (const refusal of refusals) {
        expect(refusal.code).toBe('UNAUTHENTICATED')
        expect(essence(refusal)).toEqual(essence(refusals[0]!))
      }
    }
  },
)

/** The node's methods are read below; the bridge needs a transfer. */
const received = operations().filter(
  ([id, { rpc }]) => rpc === undefined && id !== 'chain.bridgeStatus' && id !== 'chain.watchBridge',
)

test.each(received)('%s returns the same on every protocol', async (id, operation) => {
  const asked = clientsOf(operation).map(async (client) => {
    const prepared = accounts[client.protocol]
    const input = liveInputs[id]?.(prepared) ?? operation.example.input
    const token = prepared.leaving[id] ?? tokenOf(operation, prepared)
    return { client, answer: await answered(client, id, operation, input, token) }
  })
  const answers = await Promise.all(asked)
  const shown = blockwise.has(id) ? maskedParts : masked
  for (const { client, answer } of answers) {
    count.answers += 1
    expect([client.protocol, answer]).toEqual([client.protocol, expect.any(Array)])
    const parts = answer as unknown[]
    for (const part of parts) expect(operation.output.parse(part)).toEqual(part)
    expect(parts.length).toBeGreaterThan(0)
    expect([client.protocol, shown(parts)]).toEqual([client.protocol, shown(answers[0]?.answer as unknown[])])
  }
})

test('an empty list in the input of a node method is an absent one', async () => {
  const transaction = { to: `0x${'11'.repeat(20)}`, authorizationList: [], blobVersionedHashes: [], accessList: [] }
  const asking = [world.clients.trpc, world.clients.grpc].map((by) =>
    by.call('chain.createAccessList', { transaction }),
  )
  for (const outcome of await Promise.all(asking)) expect(outcome).toMatchObject({ ok: true })
})

const readings = operations().filter(
  ([, { kind, readOnly, http }]) => kind === 'unary' && (readOnly === true || http?.method === 'GET'),
)

test.each(readings)('%s returns the same on every protocol for any input', async (id, operation) => {
  const valid = arbitraryOf(operation.input).filter((input) => outOfBounds(input, operation.values) === null)
  const inputs = fc.tuple(valid, fc.nat()).map(([input, pick]) => naming(input, pick, accounts.rest) as object)
  const alike = async (input: object) => {
    const able = clientsOf(operation).filter(({ protocol }) => sayable(protocol, id, operation, { ...input }))
    // A block may be mined in between: results that agree once show that the protocols return the same.
    for (let tries = 1; ; tries += 1, count.retries += 1) {
      const answers = await Promise.all(able.map((client) => read(client, id, operation, input)))
      if (tries < 5 && answers.some((answer) => !isDeepStrictEqual(answer, answers[0]))) continue
      for (const answer of answers) expect(answer).toEqual(answers[0])
      return
    }
  }
  await fc.assert(fc.asyncProperty(inputs, alike), shareOf(1 / 5))
})

async function read(client: Client, id: OperationId, operation: Operation, input: object) {
  const outcome = await client.call(id, input, tokenOf(operation, accounts.rest))
  count.calls += 1
  count.answers += 1
  expect(outcome).not.toMatchObject({ code: 'INTERNAL' })
  return outcome.ok
    ? withoutFresh(canonical(operation.output, operation.output.parse(outcome.output)))
    : essence(outcome)
}
