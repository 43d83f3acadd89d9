import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../ports/databases.ts'
import { type Gateway, type Outcome, openGateway } from './gateway.ts'

let server: PostgresServer
let gateway: Gateway
beforeAll(async () => {
  server = await startPostgres()
  gateway = await openGateway({ DATABASE_URL: await server.create('story') })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await server.stop()
})

// biome-ignore lint/suspicious/noExplicitAny: answers of several operations pass through here
async function output(asked: Promise<Outcome>): Promise<any> {
  const outcome = await asked
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`)
  return outcome.output
}

test('on PostgreSQL the same gateway registers, trades once and keeps its books', async () => {
  const { rest, grpc } = gateway.ask
  const user = await output(rest('auth.register', { email: 'ada@example.com', password: 'correct horse battery' }))
  const { token } = await output(rest('auth.createSession', {}, user.token.access_token))
  const [chain] = await output(rest('trading.listChains', {}, token.access_token))
  const request = {
    input: {
      chain_id: chain.chain_id,
      token_in_address: chain.tokens[0].address,
      token_out_address: chain.tokens[1].address,
      amount_in: '0.5',
      slippage_bps: 50,
      simulate_only: false,
    },
    confirm: true,
    wallet_ref: 'default',
    idempotency_key: 'once',
  }
  const trades = [rest, grpc].map((ask) => output(ask('trading.execute', request, token.access_token)))
  const [first, second] = await Promise.all(trades)
  expect(first).toMatchObject({ status: 'success', tx_hash: second.tx_hash })
  const [position] = await output(rest('metrics.positions', { token_symbol: 'WETH' }, token.access_token))
  expect(position.quantity_decimal).toBe('4.5')
  const said = { messages: [{ role: 'user', content: 'show my positions' }] }
  expect((await output(grpc('chat.send', said, token.access_token))).messages[0].content).toContain('4.5 WETH')
})
