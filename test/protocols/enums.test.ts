import { readFileSync } from 'node:fs'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ChainServiceSubscribeResponse, SubscriptionType } from '../../generated/grpc/proto/trident/v1/chain.ts'
import { ExecuteRequest, QuoteRequest } from '../../generated/grpc/proto/trident/v1/trading.ts'
import { Execution, type SwapInput } from '../../generated/grpc/proto/trident/v1/types.ts'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { contract } from '../../src/contract/index.ts'
import { type Client, eventsOf } from '../clients/client.ts'
import { grpcClient } from '../clients/grpc.ts'
import { openPlannedWorld, type PlannedWorld, tokenFor } from '../contract/planned-world.ts'

let world: PlannedWorld
let grpc: Client
beforeAll(async () => {
  world = await openPlannedWorld()
  grpc = world.clients.find(({ protocol }) => protocol === 'grpc') as Client
})
afterAll(async () => await world[Symbol.asyncDispose]())

/** A swap as stubs have it, with a field changed. */
function swapWith(changes: Partial<SwapInput>): SwapInput {
  const { input } = contract.trading.quote.example.input
  const bytes = grpcMethods['trading.quote'].encodeRequest({ input })
  return { ...(QuoteRequest.decode(bytes).input as SwapInput), ...changes }
}

async function executed(input: SwapInput): Promise<unknown> {
  const before = ExecuteRequest.decode(
    grpcMethods['trading.execute'].encodeRequest(contract.trading.execute.example.input),
  )
  world.plan({ outputs: [contract.trading.execute.example.output] })
  const bytes = Buffer.from(ExecuteRequest.encode({ ...before, input }).finish())
  expect(await grpc.call('trading.execute', bytes, tokenFor('session'))).toMatchObject({ ok: true })
  return world.heard()[0]?.input
}

test('without simulate_only a trade is a simulation, and false is not absent', async () => {
  expect(await executed(swapWith({ simulate_only: undefined }))).not.toHaveProperty('input.simulate_only', false)
  expect(await executed(swapWith({ simulate_only: false }))).toHaveProperty('input.simulate_only', false)
})

test.each([-1, 99, 2_147_483_647])(
  'the value %d of an enum from a newer caller is refused by its field',
  async (value) => {
    const input = swapWith({ amount_in_currency: value as SwapInput['amount_in_currency'] })
    const bytes = Buffer.from(QuoteRequest.encode({ input, wallet_ref: undefined }).finish())
    const refused = await grpc.call('trading.quote', bytes, tokenFor('session'))
    expect(refused).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' })
    expect(refused).toHaveProperty('violations.0.path', 'input.amount_in_currency')
    expect(world.heard()).toEqual([])
  },
)

test('the zero of an enum is an absent field', async () => {
  const bytes = Buffer.from(
    QuoteRequest.encode({ input: swapWith({ amount_in_currency: 0 }), wallet_ref: undefined }).finish(),
  )
  world.plan({ outputs: [contract.trading.quote.example.output] })
  expect(await grpc.call('trading.quote', bytes, tokenFor('session'))).toMatchObject({ ok: true })
  expect(world.heard()[0]?.input).toHaveProperty('input.amount_in_currency', 'token_units') // the default
})

test('a value of a newer server stays visible: it is no zero, no success and no low risk', () => {
  const method = grpcMethods['trading.getExecution']
  const known = Execution.decode(method.encodeResponse(contract.trading.getExecution.example.output))
  const newer = Execution.encode({ ...known, status: 99 as Execution['status'] }).finish()
  expect(method.decodeResponse(newer)).toHaveProperty('status', 'unknown:99')
})

test('a reader skips an event of a kind that it does not know, and no other', async () => {
  const known = grpcMethods['chain.subscribe'].encodeResponse(contract.chain.subscribe.example.output)
  const newer = ChainServiceSubscribeResponse.encode({ type: 99 as SubscriptionType }).finish()
  const empty = ChainServiceSubscribeResponse.encode({ type: SubscriptionType.SUBSCRIPTION_TYPE_NEW_HEADS }).finish()
  await using server = await serverOf('/trident.v1.ChainService/Subscribe', [newer, known, empty])
  const reader = grpcClient(server.address)
  const events = await eventsOf(reader.stream('chain.subscribe', { type: 'newHeads' }))
  reader.close()
  expect(events.map(({ type, head }) => [type, head !== undefined])).toEqual([
    ['newHeads', true],
    ['newHeads', false],
  ])
})

/** A server of a newer version: it sends these bytes as the events of one method. */
async function serverOf(path: string, events: readonly Uint8Array[]) {
  const server = new Server()
  const same = (bytes: Buffer) => bytes
  const method = { path, requestStream: false, responseStream: true } as const
  const raw = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same }
  server.addService(
    { method: { ...method, ...raw } },
    {
      method(call: { write(bytes: Buffer): void; end(): void }) {
        for (const event of events) call.write(Buffer.from(event))
        call.end()
      },
    },
  )
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
    error === null ? resolve(port) : reject(error),
  )
  return {
    address: `127.0.0.1:${await promise}`,
    async [Symbol.asyncDispose]() {
      server.forceShutdown()
    },
  }
}

/** The files that callers read. */
const protos = ['auth', 'chain', 'chat', 'metrics', 'operator', 'research', 'system', 'tools', 'trading', 'types'].map(
  (name) => readFileSync(new URL(`../../proto/trident/v1/${name}.proto`, import.meta.url), 'utf8'),
)

test('no text of the files has a closed set, and each has the options of languages', () => {
  for (const text of protos) {
    expect(text.match(/\/\/ [^\n]*One of: [^\n]*\n {2}(optional |repeated )?string /g)).toBeNull()
    for (const option of ['go_package', 'java_package', 'java_multiple_files', 'csharp_namespace'])
      expect(text).toMatch(new RegExp(`^option ${option} = `, 'm'))
  }
})
