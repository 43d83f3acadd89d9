import { afterAll, beforeAll, expect, test } from 'vitest'
import { ExecutionMoveEntity } from '../../src/adapters/storage/entities/trading.ts'
import { openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: { userId: number; address: `0x${string}` }

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
}, 60_000)
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
