import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Reply, rpc } from '../clients/rpc-call.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { openWorld, type World } from '../world.ts'
import { figures } from './figures.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ RPC_API_KEYS: 'key-of-a-developer:developer' })
})
afterAll(async () => await world[Symbol.asyncDispose]())

const tooMany = (limit: number) => ({ error: { code: -32005, data: { limit, reset: null } } })
const refusedIn = (replies: readonly Reply[]) => replies.filter(({ error }) => error !== undefined)

test('an address has ten WebSockets, whatever the rates', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 30 }, () => openRpcSocket(world.urls.rpc)))
  const open = tries.flatMap((tried) => (tried.status === 'fulfilled' ? [tried.value] : []))
  const refused = tries.flatMap((tried) => (tried.status === 'rejected' ? [tried.reason] : []))
  figures('30 WebSockets of one address', { open: open.length, refused: refused.length })
  expect(open).toHaveLength(10)
  for (const refusal of refused) expect(refusal).toMatchObject({ status: 429, body: tooMany(10) })
  for (const { socket } of open) socket.terminate()
  await expect
    .poll(
      async () =>
        await openRpcSocket(world.urls.rpc).then(
          ({ socket }) => socket.terminate(),
          () => 'refused',
        ),
    )
    .toBe(undefined)
})

test('a connection has a hundred subscriptions of any kind', async () => {
  const { socket, ask } = await openRpcSocket(world.urls.rpc)
  const types = ['newHeads', 'logs', 'newPendingTransactions', 'syncing']
  const made: Reply[] = await Promise.all(
    Array.from({ length: 130 }, (_, index) => ask('eth_subscribe', [types[index % 4]])),
  )
  const refused = refusedIn(made)
  figures('130 subscriptions of one connection', { open: made.length - refused.length, refused: refused.length })
  expect(refused).toHaveLength(30)
  for (const refusal of refused) expect(refusal).toMatchObject(tooMany(100))
  expect(await ask('eth_unsubscribe', [made.find(({ result }) => result !== undefined)?.result])).toMatchObject({
    result: true,
  })
  expect(await ask('eth_subscribe', ['newHeads'])).toHaveProperty('result')
  socket.terminate()
})

test('an address and a key have twenty filters each, also where it makes them at once and on several protocols', async () => {
  const kinds = [['eth_newFilter', {}], ['eth_newBlockFilter'], ['eth_newPendingTransactionFilter']] as const
  const make = (index: number) => {
    const [method, ...params] = kinds[index % 3]!
    return rpc(world.urls.rpc, method, ...params)
  }
  const made = await Promise.all(Array.from({ length: 40 }, (_, index) => make(index)))
  const living = made.flatMap(({ result }) => (result === undefined ? [] : [result as string]))
  figures('40 filters of one address at once', { alive: living.length, refused: refusedIn(made).length })
  expect(living.length).toBeGreaterThan(0)
  while (living.length < 20) living.push((await make(living.length)).result)
  expect(new Set(living).size).toBe(20)
  for (const refusal of [...refusedIn(made), await make(0), await make(1), await make(2)]) {
    expect(refusal).toMatchObject(tooMany(20))
    expect(refusal.error?.message).toContain('eth_uninstallFilter')
  }
  const { trpc } = world.clients
  expect(await trpc.call('chain.newBlockFilter', {})).toMatchObject({ ok: false, code: 'RATE_LIMITED', status: 429 })
  expect(await world.clients.grpc.call('chain.newBlockFilter', {})).toMatchObject({ code: 'RATE_LIMITED', status: 8 })
  // A caller with an API key is counted by the key, separately from other callers of the address.
  const withKey = { headers: { 'x-api-key': 'key-of-a-developer' } }
  const own = () => trpc.call('chain.newBlockFilter', {}, undefined, withKey)
  const ofKey = await Promise.all(Array.from({ length: 20 }, own))
  expect(ofKey.filter(({ ok }) => ok)).toHaveLength(20)
  expect(await own()).toMatchObject({ ok: false, code: 'RATE_LIMITED' })
  expect(await rpc(world.urls.rpc, 'eth_getFilterChanges', living[0])).toHaveProperty('result')
  expect((await rpc(world.urls.rpc, 'eth_uninstallFilter', living[0])).result).toBe(true)
  expect(await make(0)).toHaveProperty('result')
})
