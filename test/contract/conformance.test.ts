import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changed, invalidCases } from '../../scripts/generate/invalid-cases.ts'
import { type ErrorCode, errorTable } from '../../src/contract/errors.ts'
import { type OperationId, operations } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { type Client, type Outcome, type Protocol, type Refusal, refusalOf } from '../clients/client.ts'
import { type Anvil, startAnvil } from '../node/anvil.ts'
import { openWorld, protocols, type World } from '../world.ts'
import { beginning, endless, liveInputs, type Prepared, prepare } from './live-values.ts'
import { masked } from './masked.ts'

const operatorToken = 'the-operator-of-this-world'
let world: World
/** A remote signer with an account for each protocol. */
let signer: Anvil
/** One account a protocol, with the same past, so that the same question has the same answer. */
let accounts: Record<Protocol, Prepared>
const count = { calls: 0, invalid: 0, valid: 0 }

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
  const { calls, invalid, valid } = count
  console.log(
    `${operations().length} operations over ${protocols.length} protocols: ${calls} calls, ${invalid} invalid inputs, ${valid} answers`,
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

/** What of a refusal must be the same on every protocol. */
function essence({ code, message, violations }: Refusal) {
  return { code, message, violations }
}

async function answered(client: Client, id: OperationId, operation: Operation, input: object, token?: string) {
  count.calls += 1
  if (endless.has(id)) return await beginning(client, id, input, token)
  if (operation.kind === 'stream') return await Array.fromAsync(client.stream(id, input, token))
  const outcome = await client.call(id, input, token)
  return outcome.ok ? [outcome.output] : outcome
}

describe.each(operations())('%s', (id, operation) => {
  const example: object = operation.example.input

  if (operation.auth !== 'none')
    test('refuses strangers alike', async () => {
      const { token, userToken } = accounts.rest
      const wrongKind = { session: userToken, user: token, operator: token, any: undefined, none: undefined }
      for (const wrong of [undefined, 'nonsense', `${token}x`, wrongKind[operation.auth]]) {
        const refusals = await Promise.all(
          clientsOf(operation).map((client) => refused(client, id, operation, example, wrong)),
        )
        for (const refusal of refusals) {
          expect(refusal.code).toBe('UNAUTHENTICATED')
          expect(essence(refusal)).toEqual(essence(refusals[0]!))
        }
      }
    })

  test('refuses what is not valid alike, naming the same fields', async () => {
    const mismatches: unknown[] = []
    for (const { name, at, to, path, protocols: able } of invalidCases(operation)) {
      count.invalid += 1
      const input = changed(example, at, to) as object
      const clients = clientsOf(operation).filter(({ protocol }) => able.includes(protocol))
      const refusals = await Promise.all(
        clients.map(async (client) => ({
          protocol: client.protocol,
          ...(await refused(client, id, operation, input, tokenOf(operation, accounts.rest))),
        })),
      )
      for (const refusal of refusals) {
        const named = refusal.code === 'INVALID_ARGUMENT' && refusal.violations.some((one) => one.path === path)
        const same = comparable(operation, refusal) === comparable(operation, refusals[0]!)
        if (!named || !same) mismatches.push({ name, refusals: refusals.map((one) => [one.protocol, essence(one)]) })
      }
    }
    expect(mismatches).toEqual([])
  })

  // The node's methods are compared on real blocks by the story of the node; the bridge needs a transfer.
  if (operation.rpc !== undefined || id === 'chain.bridgeStatus' || id === 'chain.watchBridge') return

  test('answers alike', async () => {
    const asked = clientsOf(operation).map(async (client) => {
      const prepared = accounts[client.protocol]
      const input = liveInputs[id]?.(prepared) ?? example
      return { client, answer: await answered(client, id, operation, input, tokenOf(operation, prepared)) }
    })
    const answers = await Promise.all(asked)
    for (const { client, answer } of answers) {
      count.valid += 1
      expect([client.protocol, answer]).toEqual([client.protocol, expect.any(Array)])
      for (const part of answer as unknown[]) expect(operation.output.parse(part)).toEqual(part)
      expect((answer as unknown[]).length).toBeGreaterThan(0)
      expect([client.protocol, masked(answer)]).toEqual([client.protocol, masked(answers[0]?.answer)])
    }
  })
})

/** The faucet tells its refusals in words of its own on REST, which have no violations to compare. */
function comparable({ refusal }: Operation, { code, message, violations }: Refusal): string {
  return JSON.stringify(refusal === undefined ? { code, message, violations } : { code, message })
}

const remote = operations().filter(([, { rpc }]) => rpc !== undefined)

describe.each(remote)('%s over JSON-RPC', (_id, operation) => {
  test('refuses what is not valid, by every name', async () => {
    const { method = '', aliases = [] } = operation.rpc ?? {}
    const authorization = operation.auth === 'operator' ? { authorization: `Bearer ${operatorToken}` } : {}
    const ask = async (name: string, params: unknown) => {
      const response = await fetch(world.urls.rpc, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params }),
      })
      return (await response.json()) as { error: { code: number; data: { errors: { path: string }[] } } }
    }
    if (operation.kind === 'stream') {
      expect(await ask(method, operation.example.input)).toMatchObject({ id: 1, error: { code: -32004 } })
      return
    }
    // A count as a plain integer is another spelling there.
    const isInvalid = ({ path, to }: { path: string; to: unknown }) => path !== 'blockCount' || !Number.isInteger(to)
    for (const { at, to, path } of invalidCases(operation).filter(isInvalid)) {
      for (const name of [method, ...aliases]) {
        const refusal = await ask(name, changed(operation.example.input, at, to))
        expect(refusal.error).toMatchObject({
          code: -32602,
          data: { errors: expect.arrayContaining([expect.objectContaining({ path })]) },
        })
      }
    }
  })
})
