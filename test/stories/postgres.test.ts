import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { shared } from '../shared.ts'
import { newAccount, openWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ DATABASE_URL: await shared('database') })
})
afterAll(async () => await world?.[Symbol.asyncDispose]())

test('on PostgreSQL the same gateway registers, trades once and keeps its books', async () => {
  const { rest, grpc } = world.clients
  const { token, trade } = await newAccount(rest)
  const request = trade('WETH', 'USDC', '0.5', 'once')
  const [first, second] = await Promise.all(
    [rest, grpc].map((client) => output(client.call('trading.execute', request, token))),
  )
  expect(first).toMatchObject({ status: 'success', tx_hash: second.tx_hash })
  const [position] = await output(rest.call('metrics.positions', { token_symbol: 'WETH' }, token))
  expect(position.quantity_decimal).toBe('4.5')
  const said = { messages: [{ role: 'user', content: 'show my positions' }] }
  expect((await output(grpc.call('chat.send', said, token))).messages[0].content).toContain('4.5 WETH')
})
