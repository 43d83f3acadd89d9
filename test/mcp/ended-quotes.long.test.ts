import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { type Round, sendRound } from '../clients/mcp.ts'
import { openWorld, type World } from '../world.ts'
import { agentAccount, agentToken } from './agent.ts'

const lifetimeMs = 8_000
let world: World
beforeAll(async () => {
  world = await openWorld({}, undefined, { quoteLifetimeMs: lifetimeMs })
})
afterAll(() => world[Symbol.asyncDispose]())

const given = { token_in_address: 'USDC', token_out_address: 'WETH', amount_in: '30' }
const answers = (action: string) => ({ confirm: { action, content: { confirm: true } } })

test('an answer that comes again after its quote has ended finds the trade, and a first one begins none', async () => {
  const { account, agent } = await agentAccount(world.clients.rest)
  const trader = await agentToken(world.clients.rest, account, { scopes: ['trade'] })
  const round = (token: string, more: Partial<Round> = {}) =>
    sendRound(world.urls.http, token, { name: 'trade', given, ...more })
  for (const token of [agent, trader]) {
    const { requestState } = await round(token)
    const yes = { requestState, inputResponses: answers('accept') }
    const { structuredContent: made } = await round(token, yes)
    expect(made).toMatchObject({ status: 'success' })
    const { requestState: unanswered } = await round(token)
    await sleep(lifetimeMs + 1_000)
    const again = await round(token, yes)
    expect(again.structuredContent).toMatchObject({ replayed: true, execution_id: made.execution_id })
    const late = await round(token, { requestState: unanswered, inputResponses: answers('accept') })
    expect(late).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/Nothing was traded\. The answer came after the quote had ended/) }],
    })
    const declined = { ...yes, inputResponses: answers('decline') }
    if (token === agent)
      expect((await round(token, declined)).structuredContent).toMatchObject({
        replayed: true,
        execution_id: made.execution_id,
      })
  }
  const { items } = await output(world.clients.rest.call('trading.listExecutions', {}, account.token))
  expect(items).toHaveLength(2)
})
