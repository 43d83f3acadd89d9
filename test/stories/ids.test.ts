import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { type Account, fundedAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
let ada: Account
let executionId: string

beforeAll(async () => {
  world = await sharedWorld()
  ada = await fundedAccount(world.clients.rest)
  const trade = ada.trade('WETH', 'USDC', '0.01', crypto.randomUUID())
  executionId = (await output(world.clients.rest.call('trading.execute', trade, ada.token))).execution_id
})
afterAll(async () => await world[Symbol.asyncDispose]())

const upper = (id: string) => id.replace(/[a-f]/g, (letter) => letter.toUpperCase())
const mixed = (id: string) => id.replace(/[a-f]/, (letter) => letter.toUpperCase())

test.each(protocols)('over %s an id is found in any letter case', async (protocol) => {
  const client = world.clients[protocol]
  const call = async (id: Parameters<typeof client.call>[0], input: object) =>
    await output(client.call(id, input, ada.token))
  for (const written of [upper, mixed]) {
    expect(await call('trading.getExecution', { execution_id: written(executionId) })).toMatchObject({
      execution_id: executionId,
    })
    const { tx_hash } = await call('trading.getExecution', { execution_id: executionId })
    expect(await call('trading.listExecutions', { tx_hash: `0x${upper(tx_hash.slice(2))}` })).toMatchObject({
      items: [{ execution_id: executionId }],
    })
    const swap = ada.swap('WETH', 'USDC', '0.01')
    const { quote_id } = await call('trading.quote', { input: swap })
    const trade = ada.trade('WETH', 'USDC', '0.01', crypto.randomUUID(), { quote_id: written(quote_id) })
    expect(await call('trading.execute', trade)).toMatchObject({ status: 'success' })
    const filterId: string = await output(world.clients.trpc.call('chain.newBlockFilter', {}))
    expect(
      await output(world.clients.trpc.call('chain.uninstallFilter', { filterId: `0x${written(filterId.slice(2))}` })),
    ).toBe(true)
    const other = (await output(client.call('auth.createSession', {}, ada.userToken))).session_id
    const ended = client.call('auth.deleteSession', { session_id: written(other) }, ada.userToken)
    expect(await ended).toMatchObject({ ok: true })
  }
})

test('one request with an id in another letter case is the same request', async () => {
  const { quote_id } = await output(
    world.clients.rest.call('trading.quote', { input: ada.swap('WETH', 'USDC', '0.02') }, ada.token),
  )
  const key = crypto.randomUUID()
  const [first, again] = [quote_id, upper(quote_id)].map((id) =>
    ada.trade('WETH', 'USDC', '0.02', key, { quote_id: id }),
  )
  const made = await output(world.clients.rest.call('trading.execute', first!, ada.token))
  const same = await output(world.clients.rest.call('trading.execute', again!, ada.token))
  expect(same.execution_id).toBe(made.execution_id)
})
