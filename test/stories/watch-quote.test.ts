import { afterAll, beforeAll, expect, test } from 'vitest'
import { bounds } from '../../src/contract/shared/limits.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Event, output, type Protocol, refusalOf } from '../clients/client.ts'
import { type Account, fundedAccount, newAccount, openWorld, protocols, type World } from '../world.ts'

let world: World
let ada: Account

beforeAll(async () => {
  world = await openWorld()
  ada = await fundedAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

const watch = (protocol: Protocol, input: object, token = ada.token, signal?: AbortSignal) =>
  world.clients[protocol].stream('trading.watchQuote', { input }, token, signal)

async function take(events: AsyncGenerator<Event, void, undefined>, count: number): Promise<Event[]> {
  const seen: Event[] = []
  for await (const event of events) if (seen.push(event) === count) break
  return seen
}

test.each(protocols)('%s shows the price at once and at each block, as a quote would', async (protocol) => {
  const swap = ada.swap('WETH', 'USDC', '0.5')
  const events = await take(watch(protocol, swap), 4)
  const blocks = events.map(({ block_number }) => block_number)
  // Blocks that a busy machine skips are those of the unit test.
  expect(blocks).toEqual([...new Set(blocks)].toSorted((a, b) => a - b))
  const quote = await output(world.clients.rest.call('trading.quote', { input: swap }, ada.token))
  for (const event of events) expect(withoutGas(event)).toEqual(withoutGas(quote))
  for (const event of events) expect(Object.keys(event)).not.toContain('quote_id')
})

/** The fields of a price that stay equal while nothing is traded; the gas depends on what the block does to the pool first. */
function withoutGas({ quote_id: _id, expires_at: _at, block_number: _number, gas_estimate: _gas, ...price }: Event) {
  return { ...price, fees: price.fees.protocol_fee }
}

test('a trade that moves the price is seen in its block', async () => {
  const events = watch('trpc', ada.swap('WETH', 'USDC', '1'))
  const { value: before } = await events.next()
  const trade = await output(
    world.clients.grpc.call('trading.execute', ada.trade('WETH', 'USDC', '0.4', 'moves'), ada.token),
  )
  const { fill } = await output(
    world.clients.rest.call('trading.getExecution', { execution_id: trade.execution_id }, ada.token),
  )
  let now = before as Event | undefined
  while (now!.block_number < fill.block_number) now = (await events.next()).value as Event | undefined
  await events.return()
  expect(now!.block_number).toBe(fill.block_number)
  expect(Number(now!.expected_out)).toBeLessThan(Number(before!.expected_out))
})

test('what cannot be quoted is refused before the stream begins, and names the field', async () => {
  for (const protocol of protocols) {
    expect(await refusalOf(watch(protocol, { ...ada.swap('WETH', 'USDC', '1'), chain_id: 999 }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: [{ path: 'input.chain_id' }],
    })
    expect(await refusalOf(watch(protocol, ada.swap('WETH', 'WETH', '1')))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: [{ path: 'input.token_out_address' }],
    })
    expect(await refusalOf(watch(protocol, ada.swap('BADSELL', 'WETH', '1')))).toMatchObject({
      code: 'FAILED_PRECONDITION',
    })
  }
})

test('an account has a few open at once, over all protocols together, and other accounts theirs', async () => {
  const grace = await newAccount(world.clients.rest)
  const open = Array.from({ length: bounds.liveQuotes.most }, (_, index) =>
    watch(protocols[index % 3]!, ada.swap('WETH', 'USDC', '1')),
  )
  const firsts = await Promise.all(open.map((events) => events.next()))
  expect(firsts.every(({ done }) => done === false)).toBe(true)
  for (const protocol of protocols)
    expect(await refusalOf(watch(protocol, ada.swap('WETH', 'USDC', '1')))).toMatchObject({ code: 'RATE_LIMITED' })
  expect(await take(watch('rest', grace.swap('WETH', 'USDC', '1'), grace.token), 1)).toHaveLength(1)
  await open[0]!.return()
  const opensAgain = async () =>
    (await take(watch('grpc', ada.swap('WETH', 'USDC', '1')), 1).catch(() => [])).length === 1
  await until(opensAgain, 'a place')
  await Promise.all(open.map((events) => events.return()))
})
