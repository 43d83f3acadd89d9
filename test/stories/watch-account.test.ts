import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Event, output, type Protocol, refusalOf } from '../clients/client.ts'
import { operatorToken } from '../operator-token.ts'
import { type Account, fundedAccount, newAccount, openWorld, protocols, type World } from '../world.ts'

let world: World
let ada: Account

beforeAll(async () => {
  world = await openWorld()
  ada = await fundedAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

const watch = (protocol: Protocol, input: object, token = ada.token, signal?: AbortSignal) =>
  world.clients[protocol].stream('trading.watchAccount', input, token, signal)

/** Reads until an event satisfies the condition, and leaves. */
async function readUntil(events: AsyncIterable<Event>, isLast: (event: Event) => boolean): Promise<Event[]> {
  const seen: Event[] = []
  for await (const event of events) {
    seen.push(event)
    if (isLast(event)) return seen
  }
  throw new Error('The stream ended by itself.')
}

/** Disconnects after each event, and resumes on the next protocol. */
async function wander(isLast: (event: Event) => boolean): Promise<Event[]> {
  const seen: Event[] = []
  do {
    const input = seen.length === 0 ? {} : { last_event_id: seen.at(-1)!.id }
    seen.push(...(await readUntil(watch(protocols[seen.length % 3]!, input), () => true)))
  } while (!isLast(seen.at(-1)!))
  return seen
}

const order = async (id: 'operator.haltTrading' | 'operator.resumeTrading', halt: object) =>
  await output(world.clients.rest.call(id, halt, operatorToken))

const isLifted = (event: Event) => event.halt?.halted === false && event.halt.scope === 'wallet'

test('every trade, position and halt of the account comes once, alike on every protocol and over cuts', async () => {
  const readers = [...protocols.map((protocol) => readUntil(watch(protocol, {}), isLifted)), wander(isLifted)]
  const grace = await newAccount(world.clients.grpc)
  await order('operator.haltTrading', { scope: 'wallet', id: grace.wallet })
  const trade = await output(
    world.clients.rest.call('trading.execute', ada.trade('WETH', 'USDC', '0.1', 'one'), ada.token),
  )
  expect(trade.status).toBe('success')
  const included = (event: Event) => event.execution?.state === 'finalized'
  await readUntil(watch('trpc', {}), included)
  await order('operator.haltTrading', { scope: 'wallet', id: ada.wallet })
  await order('operator.haltTrading', { scope: 'wallet', id: ada.wallet })
  await order('operator.resumeTrading', { scope: 'wallet', id: ada.wallet })

  const [first, ...others] = (await Promise.all(readers)) as [Event[], ...Event[][]]
  for (const other of others) expect(other).toEqual(first)
  expect(new Set(first.map(({ id }) => id)).size).toBe(first.length)
  for (const { id: _id, ...parts } of first) expect(Object.keys(parts)).toHaveLength(1)
  const executions = first.flatMap(({ execution }) => execution ?? [])
  expect(executions.map(({ state }) => state)).toEqual([
    'reserved',
    'signed',
    'broadcast',
    'included',
    'safe',
    'finalized',
  ])
  expect(new Set(executions.map(({ execution_id }) => execution_id))).toEqual(new Set([trade.execution_id]))
  const halts = first.flatMap(({ halt }) => halt ?? [])
  expect(halts).toMatchObject([
    { scope: 'wallet', id: ada.wallet.toLowerCase(), halted: true },
    { scope: 'wallet', id: ada.wallet.toLowerCase(), halted: false },
  ])
  const held = new Map(
    first.flatMap(({ position }) => (position === undefined ? [] : [[position.token_symbol, position]])),
  )
  for (const now of await output(world.clients.rest.call('metrics.positions', {}, ada.token)))
    expect(now).toMatchObject(held.get(now.token_symbol)!)
  expect(Number(held.get('USDC')!.quantity_decimal)).toBeCloseTo(25_000 + Number(trade.amount_out), 6)
})

test.each(protocols)('from now, %s first says where the stream can be resumed', async (protocol) => {
  const leaving = new AbortController()
  const news = watch(protocol, { from: 'now' }, ada.token, leaving.signal)
  const begun = (await news.next()).value
  expect(begun).toEqual({ id: expect.stringMatching(/^\d+-\d+$/) })
  const next = news.next()
  const token = (await output(world.clients.rest.call('auth.createSession', {}, ada.userToken))).token.access_token
  await order('operator.haltTrading', { scope: 'global' })
  await order('operator.resumeTrading', { scope: 'global' })
  const seen = (await next).value
  expect(seen).toMatchObject({ halt: { scope: 'global', halted: true } })
  expect((await readUntil(watch(protocol, { last_event_id: begun!.id }, token), () => true))[0]).toEqual(seen)
  leaving.abort()
})

test.each(protocols)('over %s a cursor that is no event is refused with the name of the field', async (protocol) => {
  for (const last_event_id of ['1', '1-', '01-0', '-1-0', '999999-0', '0-999999', 'x-y', `${crypto.randomUUID()}:1`])
    expect(await refusalOf(watch(protocol, { last_event_id })), last_event_id).toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: [{ path: 'last_event_id' }],
    })
})

test.each(protocols)(
  'over %s a halt of everybody that names a chain is refused, and so is its end',
  async (protocol) => {
    for (const id of ['operator.haltTrading', 'operator.resumeTrading'] as const)
      expect(await world.clients[protocol].call(id, { scope: 'global', id: '84532' }, operatorToken)).toMatchObject({
        code: 'INVALID_ARGUMENT',
        violations: [{ path: 'id' }],
      })
  },
)
