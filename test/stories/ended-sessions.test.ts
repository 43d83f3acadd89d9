import { afterAll, beforeAll, expect, test } from 'vitest'
import { output, refusalOf } from '../clients/client.ts'
import { fundedAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

test('all streams of a session end with it, on every protocol', async () => {
  const { rest } = world.clients
  const ada = await fundedAccount(rest)
  const trade = await output(rest.call('trading.execute', ada.trade('WETH', 'USDC', '0.1', 'ended'), ada.token))
  const asked = { symbol: 'ETHUSDC', streams: ['trade'] }
  const { subscription_id } = await output(rest.call('tools.subscribeExchange', asked, ada.token))
  const streams: ['trading.watchExecution' | 'tools.streamExchange', object][] = [
    ['trading.watchExecution', { execution_id: trade.execution_id, until: 'finalized' }],
    ['tools.streamExchange', { subscription_id }],
  ]
  const ends = protocols.flatMap((protocol) =>
    streams.map(async ([id, input]) => {
      const events = world.clients[protocol].stream(id, input, ada.token)
      const first = await events.next()
      return { first, refusal: refusalOf(events) }
    }),
  )
  const opened = await Promise.all(ends)
  expect(opened.map(({ first }) => first.done)).toEqual(opened.map(() => false))
  expect(await rest.call('auth.deleteSession', { session_id: ada.sessionId }, ada.token)).toMatchObject({
    ok: true,
  })
  for (const { refusal } of opened)
    expect(await refusal).toMatchObject({ code: 'UNAUTHENTICATED', message: expect.stringContaining('session') })
})
