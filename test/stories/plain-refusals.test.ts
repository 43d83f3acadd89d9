import { afterAll, beforeAll, expect, test } from 'vitest'
import { version } from '../../src/contract/shared/version.ts'
import { output } from '../clients/client.ts'
import { restCall } from '../clients/rest-call.ts'
import { rpc } from '../clients/rpc-call.ts'
import { type Account, newAccount, sharedWorld, type World } from '../world.ts'

let world: World
let account: Account
beforeAll(async () => {
  world = await sharedWorld()
  account = await newAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

const quotePath = '/multi-agent/quote/evm/pseudo'
const executePath = '/multi-agent/execute/evm'

/** A plain HTTP request, with the session's token unless another header is given. */
const sent = (path: string, more: Partial<Parameters<typeof restCall>[2]> = {}) =>
  restCall(world.urls.http, path, { authorization: `Bearer ${account.token}`, ...more })

test('a session token that names or deletes another session of its account is told so: 403', async () => {
  const sibling = await output(world.clients.rest.call('auth.createSession', {}, account.userToken))
  const path = `/auth/session/${sibling.session_id}`
  const refused = {
    status: 403,
    body: { code: 'PERMISSION_DENIED', detail: expect.stringContaining('that session only') },
  }
  expect(await sent(`${path}/name`, { method: 'PATCH', json: { name: 'x' } })).toMatchObject(refused)
  expect(await sent(path, { method: 'DELETE' })).toMatchObject(refused)
  const renamed = await sent(`${path}/name`, {
    method: 'PATCH',
    json: { name: 'Möre' },
    authorization: `Bearer ${account.userToken}`,
  })
  expect(renamed).toMatchObject({ status: 200, body: { name: 'Möre' } })
})

test('a 401 says what is wrong with the token, and names the path where to get one', async () => {
  const detailOf = async (authorization: string | null) => {
    const { status, body } = await sent('/wallets', { method: 'GET', authorization })
    expect(status).toBe(401)
    return body.detail
  }
  expect(await detailOf(null)).toBe('This operation needs a session token from POST /api/v1/auth/session.')
  expect(await detailOf(account.token)).toMatch(/^The authorization header lacks the word Bearer/)
  expect(await detailOf('Bearer two tokens')).toMatch(
    /^The authorization header lacks the word Bearer, a space and one/,
  )
  expect(await detailOf('Bearer nonsense')).toMatch(/^The token is not one of this gateway/)
  expect(await detailOf(`Bearer ${account.userToken}`)).toMatch(
    /^The token is a user token\. .*POST \/api\/v1\/auth\/session/,
  )
})

test('a time without an offset is in UTC', async () => {
  const volumeUntil = (end: string) => sent(`/metrics/volume?end=${end}`, { method: 'GET' })
  expect((await volumeUntil('2026-01-31T12:00:00')).status).toBe(200)
  expect((await volumeUntil('2026-02-30T12:00:00')).status).toBe(422)
})

test('a value of the wrong type is shown as it has to be sent, a password is not', async () => {
  const swap = { ...account.swap('WETH', 'USDC', '0.5'), amount_in: 0.5, chain_id: '84532' }
  const { status, body } = await sent(quotePath, { json: { input: swap } })
  expect(status).toBe(422)
  expect(body.errors.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`)).toEqual([
    'input.chain_id must be a number without quotes: 84532',
    'input.amount_in must be a text in quotes: "0.5"',
  ])
  for (const amount_in of [1e18, 1e-7, 1e21]) {
    const { errors } = (await sent(quotePath, { json: { input: { ...swap, amount_in } } })).body
    expect(errors.at(-1).message).toBe('must be a text in quotes, such as "0.5"')
  }
  const secret = await sent('/auth/register', { json: { email: 'a@example.com', password: 123456789 } })
  expect(JSON.stringify(secret)).not.toContain('123456789')
})

test('an address with a wrong checksum is refused by the application, and taken by the node', async () => {
  const swap = account.swap('WETH', 'USDC', '0.5')
  const wrong = `0x${swap.token_in_address.slice(2, 3)}${[...swap.token_in_address.slice(3)]
    .map((digit) => (digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase()))
    .join('')}`
  const { status, body } = await sent(quotePath, { json: { input: { ...swap, token_in_address: wrong } } })
  expect([status, body.detail]).toEqual([
    422,
    expect.stringMatching(/^input.token_in_address: .*checksum: copy it again/),
  ])
  expect(JSON.stringify(body)).not.toContain(swap.token_in_address)
  const lower = { ...swap, token_in_address: swap.token_in_address.toLowerCase() }
  expect((await sent(quotePath, { json: { input: lower } })).status).toBe(200)
  expect(await rpc(world.urls.rpc, 'eth_getBalance', wrong, 'latest')).toHaveProperty('result')
})

test('a confirmed request without simulate_only is a simulation, and says what a real trade lacks', async () => {
  const input = account.swap('WETH', 'USDC', '0.01')
  const full = { input, confirm: true, wallet_ref: 'default', idempotency_key: crypto.randomUUID() }
  expect(await sent(executePath, { json: full })).toMatchObject({
    status: 200,
    body: {
      status: 'simulated',
      message: expect.stringMatching(/For a real trade, send input.simulate_only as false\.$/),
    },
  })
  const bare = await sent(executePath, { json: { input, confirm: true } })
  expect(bare.body.message).toMatch(/simulate_only as false, and wallet_ref and idempotency_key\.$/)
  const large = { ...full, input: account.swap('WETH', 'USDC', '5000') }
  expect((await sent(executePath, { json: large })).body).toMatchObject({
    status: 'rejected',
    message: expect.stringMatching(/wallet holds .* For a real trade, send input\.simulate_only as false\.$/),
  })
  const asked = await sent(executePath, { json: { input: { ...input, simulate_only: true } } })
  expect(asked.body.message).toMatch(/Nothing was sent\. Without wallet_ref, no balance was checked\.$/)
})

test('the quote of an amount that empties the pool says so', async () => {
  const quoted = await sent(quotePath, { json: { input: account.swap('WETH', 'USDC', '1000000') } })
  expect(quoted).toMatchObject({ status: 200, body: { warning: expect.stringContaining('empties most of the pool') } })
  const small = await sent(quotePath, { json: { input: account.swap('WETH', 'USDC', '0.5') } })
  expect(small.body).not.toHaveProperty('warning')
})

test('the node names itself Trident, with its version', async () => {
  expect((await rpc(world.urls.rpc, 'web3_clientVersion')).result).toBe(`Trident/${version}`)
})
