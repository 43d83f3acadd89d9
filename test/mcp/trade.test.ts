import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { agrees, mcpClient, type Person, type Round, sendRound } from '../clients/mcp.ts'
import { fundedAccount, sharedWorld, type World } from '../world.ts'
import { type AgentAccount, agentAccount, agentToken } from './agent.ts'

let world: World
let one: AgentAccount
beforeAll(async () => {
  world = await sharedWorld()
})
beforeEach(async () => {
  one = await agentAccount(world.clients.rest)
})
afterAll(() => world[Symbol.asyncDispose]())

const swap = { token_in_address: 'USDC', token_out_address: 'WETH', amount_in: '30' }
const agreed = { confirm: { action: 'accept', content: { confirm: true } } }

const executionsOf = async (account = one.account) =>
  (await output(world.clients.rest.call('trading.listExecutions', {}, account.token))).items

const round = (more: Partial<Round> = {}, token = one.agent) =>
  sendRound(world.urls.http, token, { name: 'trade', given: swap, ...more })

/** The official client with a person who answers forms, and the cards that the person saw. */
async function clientWith(token: string, person: Person) {
  const cards: string[] = []
  const client = await mcpClient(world.urls.http, token, 'auto', (card) => {
    cards.push(card)
    return person(card)
  })
  return { ...client, cards }
}

describe('with the official client', () => {
  test('a person sees the card, agrees, and it is traded once', async () => {
    await using agent = await clientWith(one.agent, agrees)
    const { value } = await agent.call('trade', swap)
    expect(agent.cards).toEqual([
      expect.stringMatching(
        /^You sell 30 USDC, you receive about 0\.00\d+ WETH, at least 0\.00\d+\. Wallet default on sandbox\./,
      ),
    ])
    expect(value).toMatchObject({ status: 'success', tx_hash: expect.stringMatching(/^0x/), risk_level: 'low' })
    expect(await executionsOf()).toMatchObject([{ execution_id: value.execution_id, fill: { amount_in: '30' } }])
    const read = await agent.call('executions', { execution_id: value.execution_id })
    expect(read.value.executions).toMatchObject([{ status: 'success', amount_out: value.amount_out }])
  })

  test.each<[string, ReturnType<Person>]>([
    ['declines', { action: 'decline' }],
    ['closes the form', { action: 'cancel' }],
    ['leaves the box empty', { action: 'accept', content: { confirm: false } }],
  ])('a person who %s moves nothing', async (_what, answer) => {
    await using agent = await clientWith(one.agent, () => answer)
    expect(await agent.call('trade', swap)).toMatchObject({ refused: false, value: { status: 'rejected' } })
    expect(await executionsOf()).toEqual([])
  })

  test('above the threshold the answer is the link, and no form is shown', async () => {
    await using agent = await clientWith(one.agent, agrees)
    const above = await agent.call('trade', { ...swap, amount_in: '101' })
    expect(agent.cards).toEqual([])
    const { execution_id, confirm_url } = above.value
    expect(confirm_url).toMatch(new RegExp(`/#/waiting/${execution_id}$`))
    expect(await executionsOf()).toMatchObject([{ state: 'awaiting_confirmation' }])
    const waiting = await agent.call('executions', { execution_id })
    expect(waiting.value.executions).toMatchObject([{ confirm_url }])
    const confirm = { execution_id, approve: true }
    await output(world.clients.rest.call('trading.confirmExecution', confirm, one.account.userToken))
    const done = await agent.call('executions', { execution_id })
    expect(done.value.executions).toMatchObject([{ status: 'success', amount_in: '101' }])
    // An approval quotes anew; the trade keeps the quote by which a repeated call finds it.
    const again = { ...swap, amount_in: '101', quote_id: above.value.quote_id }
    const { value: repeated } = await agent.call('trade', again)
    expect(repeated).toMatchObject({ replayed: true, execution_id, quote_id: above.value.quote_id })
  })

  test('a repeated call with its quote finds its own trade, and asks no person again', async () => {
    await using agent = await clientWith(one.agent, agrees)
    const { value: quote } = await agent.call('quote', swap)
    const bound = { ...swap, quote_id: quote.quote_id }
    const { value: made } = await agent.call('trade', bound)
    const { value: again } = await agent.call('trade', bound)
    expect(again).toMatchObject({ status: 'success', replayed: true, execution_id: made.execution_id })
    expect(agent.cards.length).toBe(1)
    const { value: other } = await agent.call('quote', { ...swap, amount_in: '101' })
    const waits = { ...swap, amount_in: '101', quote_id: other.quote_id }
    const [first, second] = [await agent.call('trade', waits), await agent.call('trade', waits)]
    expect(second.value).toMatchObject({ replayed: true, confirm_url: first.value.confirm_url })
    expect(await executionsOf()).toHaveLength(2)
  })

  test('a trade that would be refused asks no person', async () => {
    await using agent = await clientWith(one.agent, agrees)
    const { value } = await agent.call('trade', { ...swap, amount_in: '999999999' })
    expect(value).toMatchObject({ status: 'rejected', message: expect.stringMatching(/holds/) })
    const risky = await agent.call('trade', { ...swap, token_out_address: 'BADSELL' })
    expect(risky.value).toMatchObject({ status: 'rejected', message: expect.stringMatching(/^Nothing was traded/) })
    expect(agent.cards).toEqual([])
  })
})

describe('on the wire', () => {
  test('a call asks one boolean, with a state that a second round brings back', async () => {
    const asked = await round()
    expect(asked).toMatchObject({
      resultType: 'input_required',
      requestState: expect.any(String),
      inputRequests: {
        confirm: {
          method: 'elicitation/create',
          params: {
            message: expect.stringMatching(/^You sell 30 USDC/),
            requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
          },
        },
      },
    })
    expect(await executionsOf()).toEqual([])
    const { requestState } = asked
    const both = await Promise.all([1, 2].map(() => round({ requestState, inputResponses: agreed })))
    expect(both.map(({ structuredContent }) => structuredContent.status)).toContain('success')
    const again = await round({ requestState, inputResponses: agreed })
    expect(again.structuredContent).toMatchObject({ replayed: true })
    expect(await executionsOf()).toMatchObject([{ fill: { amount_in: '30' } }])
  })

  test('no answer, altered arguments, an altered state and another session or account move nothing', async () => {
    const { requestState } = await round()
    const [head, body = '', mac] = requestState.split('.')
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString())
    const altered = Buffer.from(JSON.stringify({ ...payload, exp: payload.exp + 600 })).toString('base64url')
    const sibling = await agentToken(world.clients.rest, one.account)
    const other = await agentAccount(world.clients.rest)
    const said = { requestState, inputResponses: agreed }
    const answers = [
      await round({ requestState }),
      await round({ ...said, inputResponses: { confirm: true } }),
      await round({ ...said, inputResponses: { confirm: { action: 'accept', content: { confirm: 'true' } } } }),
      await round({ ...said, given: { ...swap, amount_in: '31' } }),
      await round({ ...said, given: { ...swap, slippage_bps: 5_000 } }),
      await round({ ...said, requestState: `${head}.${altered}.${mac}` }),
      await round({ ...said, requestState: 'v1.e30.e30' }),
      await round(said, sibling),
      await round(said, other.agent),
    ]
    for (const { structuredContent, isError } of answers)
      expect(isError === true || structuredContent.status === 'rejected').toBe(true)
    expect(await executionsOf()).toEqual([])
    expect(await executionsOf(other.account)).toEqual([])
  })

  test('a yes begins one trade: where that is refused, the same yes begins no other', async () => {
    const { requestState } = await round({ given: { ...swap, amount_in: '90' } })
    // Its money goes elsewhere before the person agrees.
    const all = one.account.trade('USDC', 'WETH', '999950', 'elsewhere')
    const [usdc] = await output(
      world.clients.rest.call('metrics.positions', { token_symbol: 'USDC' }, one.account.token),
    )
    const rest = (Number(usdc.quantity_decimal) - 50).toFixed(2)
    all.input.amount_in = rest
    await output(world.clients.rest.call('trading.execute', { ...all, skip_risk: true }, one.account.token))
    const said = { given: { ...swap, amount_in: '90' }, requestState, inputResponses: agreed }
    expect((await round(said)).structuredContent).toMatchObject({ status: 'rejected' })
    const back = one.account.trade('WETH', 'USDC', '0.1', 'back')
    await output(world.clients.rest.call('trading.execute', back, one.account.token))
    const again = await round(said)
    expect(again).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/begins no other/) }] })
    expect((await executionsOf()).length).toBe(2)
  })
})

test('a session that may only read cannot trade, whatever it answers', async () => {
  const account = await fundedAccount(world.clients.rest)
  const reader = await agentToken(world.clients.rest, account, { scopes: ['read'] })
  const refused = await round({}, reader)
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/PERMISSION_DENIED/) }] })
  const { requestState } = await round()
  expect(await round({ requestState, inputResponses: agreed }, reader)).toMatchObject({ isError: true })
  expect(await executionsOf(account)).toEqual([])
})
