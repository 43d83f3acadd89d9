import { afterAll, beforeAll, expect, test } from 'vitest'
import { ExecutionMoveEntity } from '../../src/adapters/storage/entities/trading.ts'
import { openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: { userId: number; address: `0x${string}` }

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
})
afterAll(async () => await world.close())

let keys = 0
const real = (amount: string) => ({
  input: {
    chain_id: 84_532,
    token_in_address: world.token('WETH'),
    token_out_address: world.token('USDC'),
    amount_in: amount,
    slippage_bps: 100,
    simulate_only: false,
  },
  confirm: true,
  skip_risk: true,
  wallet_ref: 'default',
  idempotency_key: `key-${++keys}`,
})
const execute = (request: Record<string, unknown>) => world.call('trading.execute', ada.userId, request)

test('a watch returns each state change up to the end', async () => {
  const request = real('0.012')
  const trade = execute(request)
  const find = async () => (await world.ports.executions.findByKey(ada.userId, request.idempotency_key))?.id
  let id: string | undefined
  while (id === undefined) id = await find()
  const { output } = await world.call<AsyncIterable<{ id: string; state: string }>>(
    'trading.watchExecution',
    ada.userId,
    { execution_id: id },
  )
  const events: { id: string; state: string }[] = []
  for await (const event of output) events.push(event)
  const steps = events.map((event) => Number(event.id.split(':')[1]))
  expect(steps).toEqual([...new Set(steps)].sort())
  expect(events.at(-1)).toMatchObject({ id: `${id}:6`, state: 'included' })
  await trade
  await expect(world.call('trading.watchExecution', ada.userId + 1, { execution_id: id })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})

test('a watch of a trade whose state changes were purged returns its result once', async () => {
  const { output } = await execute(real('0.013'))
  const { execution_id } = output as { execution_id: string }
  await world.database.tables.delete(ExecutionMoveEntity, { executionId: execution_id })
  const watch = async (last_event_id?: string) => {
    const input = { execution_id, ...(last_event_id === undefined ? {} : { last_event_id }) }
    const { output: stream } = await world.call<AsyncIterable<{ id: string; state: string }>>(
      'trading.watchExecution',
      ada.userId,
      input,
    )
    return await Array.fromAsync(stream)
  }
  const events = await watch()
  expect(events).toMatchObject([{ execution_id, status: 'success' }])
  expect(await watch(events[0]!.id)).toEqual([])
})

test('the list of executions is paged, newest first', async () => {
  await Promise.all(['0.01', '0.02'].map((amount) => execute(real(amount))))
  const first = (
    await world.call<{ items: { execution_id: string }[]; next_cursor: string }>('trading.listExecutions', ada.userId, {
      limit: 2,
    })
  ).output
  expect(first.items).toHaveLength(2)
  const next = (
    await world.call<{ items: { execution_id: string }[] }>('trading.listExecutions', ada.userId, {
      limit: 2,
      cursor: first.next_cursor,
    })
  ).output
  expect(next.items[0]!.execution_id).not.toBe(first.items[1]!.execution_id)
})

type Step = { step: string; at: string; message: string; nonce?: number; tx_hash?: string }
type Listed = {
  items: { execution_id: string; tx_hash: string; created_at: string; agent: string; state: string }[]
  next_cursor: string | null
}

test('the timeline of a trade goes from its quote to its block, in order and permanently', async () => {
  const { output: quote } = await world.call<{ quote_id: string; expected_out: string }>('trading.quote', ada.userId, {
    input: { ...real('0.015').input, simulate_only: true },
  })
  const { output: trade } = await world.call<{ execution_id: string; tx_hash: string }>('trading.execute', ada.userId, {
    ...real('0.015'),
    skip_risk: false,
    quote_id: quote.quote_id,
  })
  const { execution_id } = trade
  await world.database.tables.delete(ExecutionMoveEntity, { executionId: execution_id })
  const read = async (userId = ada.userId) =>
    (await world.call<{ steps: Step[] }>('trading.getTimeline', userId, { execution_id })).output.steps
  const steps = await read()
  const names = steps.map(({ step }) => step)
  expect(names).toEqual([
    'quote',
    'requested',
    'risk',
    'reserved',
    'signed',
    'signed',
    'broadcast',
    'broadcast',
    'included',
    'included',
  ])
  expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).toSorted())
  expect(steps[0]!.message).toBe(
    `Quoted ${quote.expected_out} USDC for 0.015 WETH on ${(await stored(execution_id)).venue}.`,
  )
  const swap = steps.filter(({ tx_hash }) => tx_hash === trade.tx_hash)
  expect(swap.map(({ step }) => step)).toEqual(['signed', 'broadcast', 'included'])
  expect(new Set(swap.map(({ nonce }) => nonce)).size).toBe(1)
  expect(swap.at(-1)!.message).toMatch(/^Block \d+ holds the swap\.$/)
  const { fill } = await stored(execution_id)
  expect(Date.parse(fill.at)).toBeGreaterThanOrEqual(Date.parse(swap[1]!.at))
  await expect(read(ada.userId + 1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

const stored = async (execution_id: string) =>
  (await world.call<{ venue: string; fill: { at: string } }>('trading.getExecution', ada.userId, { execution_id }))
    .output

const ids = (items: Listed['items']) => items.map(({ execution_id }) => execution_id)
const list = async (filter: Record<string, unknown>) =>
  (await world.call<Listed>('trading.listExecutions', ada.userId, filter)).output

test('the list is filtered by state, token, agent, transaction and time, over pages', async () => {
  await execute({ ...real('0.016'), agent: 'other_team' })
  const all = (await list({})).items
  const mine = all.filter(({ agent }) => agent === 'other_team')
  expect(mine).toHaveLength(1)
  expect(ids((await list({ agent: 'other_team', limit: 1 })).items)).toEqual(ids(mine))
  expect((await list({ agent: 'third_team' })).items).toEqual([])
  for (const token of ['weth', 'USDC', world.token('USDC'), world.token('WETH').toLowerCase()])
    expect(ids((await list({ token })).items), token).toEqual(ids(all))
  for (const token of ['BADTAX', `0x${'12'.repeat(20)}`]) expect((await list({ token })).items, token).toEqual([])
  const included = (await list({ state: 'included' })).items
  expect(included.length).toBeGreaterThan(0)
  for (const { state } of included) expect(state).toBe('included')
  expect((await list({ state: 'failed' })).items).toEqual([])
  expect(ids((await list({ status: 'success' })).items)).toEqual(ids(all))
  expect((await list({ status: 'failed' })).items).toEqual([])
  for (const token of [
    '0x123',
    world
      .token('WETH')
      .toLowerCase()
      .replace(/[a-f]/, (digit) => digit.toUpperCase()),
  ])
    await expect(list({ token }), token).rejects.toMatchObject({ details: { violations: [{ path: 'token' }] } })

  const one = all[1]!
  const legs = await world.ports.outbox.byReference({ kind: 'trade', id: one.execution_id })
  for (const hash of [one.tx_hash, one.tx_hash.toUpperCase().replace('0X', '0x'), legs[0]!.hash!])
    expect(ids((await list({ tx_hash: hash })).items), hash).toEqual(ids([one]))
  expect((await list({ tx_hash: `0x${'00'.repeat(32)}` })).items).toEqual([])

  const since = { start: one.created_at }
  expect(ids((await list(since)).items)).toEqual(ids(all.slice(0, 2)))
  expect(ids((await list({ end: one.created_at })).items)).toEqual(ids(all.slice(2)))
  expect(ids((await list({ ...since, end: all[0]!.created_at })).items)).toEqual(ids([one]))
  await expect(list({ start: all[0]!.created_at, end: one.created_at })).rejects.toMatchObject({
    details: { violations: [{ path: 'end' }] },
  })

  const paged: Listed['items'] = []
  let cursor: string | null = null
  do {
    const page: Listed = await list({
      token: 'WETH',
      limit: 2,
      ...(cursor === null ? {} : { cursor }),
    })
    paged.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null)
  expect(paged.map(({ execution_id }) => execution_id)).toEqual(all.map(({ execution_id }) => execution_id))
})
