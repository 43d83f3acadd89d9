import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventsOf, output } from '../clients/client.ts'
import { type Account, fundedAccount, openWorld, protocols, type World } from '../world.ts'

let world: World
let ada: Account
beforeAll(async () => {
  world = await openWorld({ ACCOUNT_STORAGE_MB: '1' })
  ada = await fundedAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

test('a full account chats on no protocol, trades all the same, and chats again once it has deleted', async () => {
  const rest = world.clients.rest
  const long = Array.from({ length: 50 }, () => ({ role: 'user', content: 'm'.repeat(7_900) }))
  const first = await rest.call('chat.send', { messages: long }, ada.token)
  expect(first).toMatchObject({ ok: true })
  expect(await rest.call('chat.send', { messages: long }, ada.token)).toMatchObject({ ok: true })
  const refused = {
    code: 'STORAGE_FULL',
    message: expect.stringMatching(/take 0\.\d of 1\.0 MiB\. Delete a session \(.*with 0\.\d MiB/),
    metadata: { limit_bytes: '1048576' },
  }
  for (const protocol of protocols) {
    const client = world.clients[protocol]
    expect(await client.call('chat.send', { messages: long }, ada.token)).toMatchObject(refused)
    const streamed = eventsOf(client.stream('chat.stream', { messages: long }, ada.token))
    await expect(streamed).rejects.toMatchObject({ refusal: refused })
  }
  expect(await rest.call('chat.send', { messages: long }, ada.token)).toMatchObject({ status: 507 })
  expect(
    await output(rest.call('trading.execute', ada.trade('WETH', 'USDC', '0.01', 'full'), ada.token)),
  ).toMatchObject({ status: 'success' })
  await output(rest.call('chat.clear', {}, ada.token))
  expect(await rest.call('chat.send', { messages: long }, ada.token)).toMatchObject({ ok: true })
})
