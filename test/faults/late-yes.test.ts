import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tradingTimes } from '../../src/wiring/trading-settings.ts'
import { output } from '../clients/client.ts'
import { sendRound } from '../clients/mcp.ts'
import { agentAccount } from '../mcp/agent.ts'
import { openWorld } from '../world.ts'

/** A little more than a quote counts. */
const lateMs = 31_000

test('a yes over MCP that comes after its quote has ended moves nothing', { timeout: 120_000 }, async () => {
  await using world = await openWorld({}, undefined, tradingTimes)
  const { account, agent } = await agentAccount(world.clients.rest)
  const given = { token_in_address: 'USDC', token_out_address: 'WETH', amount_in: '30' }
  const { requestState } = await sendRound(world.urls.http, agent, { name: 'trade', given })
  await sleep(lateMs)
  const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } }
  const late = await sendRound(world.urls.http, agent, { name: 'trade', given, requestState, inputResponses })
  expect(late).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/quote had ended/) }] })
  expect(await output(world.clients.rest.call('trading.listExecutions', {}, account.token))).toMatchObject({
    items: [],
  })
})
