import { expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { dataFolder } from '../data-folder.ts'
import { askEngine, enginePid } from '../engine.ts'
import { startGateway } from '../gateway-process.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of several operations pass through here
async function ask(url: string, path: string, token: string, body?: object): Promise<any> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return await response.json()
}

async function trader(url: string) {
  const user = await ask(url, '/api/v1/auth/register', '', {
    email: 'ada@example.com',
    password: 'correct horse battery',
  })
  const session = await ask(url, '/api/v1/auth/session', user.token.access_token, {})
  const token: string = session.token.access_token
  const [chain] = await ask(url, '/api/v1/chains', token)
  const [weth, usdc] = chain.tokens
  const input = {
    chain_id: chain.chain_id,
    token_in_address: weth.address,
    token_out_address: usdc.address,
    amount_in: '0.5',
    slippage_bps: 50,
  }
  const request = {
    input: { ...input, simulate_only: false },
    confirm: true,
    wallet_ref: 'default',
    idempotency_key: 'once',
  }
  return { token, request }
}

const execute = '/api/v1/multi-agent/execute/evm'

test('after kill -9 the trade, the books, the session and the chain agree, and the trade is not repeated', async () => {
  using folder = dataFolder()
  await using first = await startGateway(folder.path)
  const { token, request } = await trader(first.urls.http)
  const trade = await ask(first.urls.http, execute, token, request)
  expect(trade).toMatchObject({ status: 'success' })
  const before = await ask(first.urls.http, '/api/v1/positions', token)
  await first.kill()

  await using second = await startGateway(folder.path)
  expect(await ask(second.urls.http, '/api/v1/positions', token)).toEqual(before)
  expect(await ask(second.urls.http, execute, token, request)).toMatchObject({
    status: 'success',
    tx_hash: trade.tx_hash,
    replayed: true,
  })
  const page = await fetch(`${second.urls.http}/explorer/tx/${trade.tx_hash}`)
  expect(page.status).toBe(200)
})

test('killed while a trade is under way, the gateway finishes that trade and no other', async () => {
  using folder = dataFolder()
  await using first = await startGateway(folder.path)
  const { token, request } = await trader(first.urls.http)
  await ask(first.urls.http, '/api/v1/multi-agent/execute/evm', token, {
    ...request,
    input: { ...request.input, simulate_only: true },
  }) // waits for funds
  const lost = ask(first.urls.http, execute, token, request).catch(() => null)
  await accepted(first.urls.http, token)
  await first.kill()
  await lost

  await using second = await startGateway(folder.path)
  const trade = await ask(second.urls.http, execute, token, request)
  expect(trade).toMatchObject({ status: 'success' })
  const { items } = await ask(second.urls.http, '/api/v1/multi-agent/executions', token)
  expect(items).toHaveLength(1)
  const positions: { token_symbol: string; quantity_decimal: string }[] = await ask(
    second.urls.http,
    '/api/v1/positions',
    token,
  )
  expect(positions.find(({ token_symbol }) => token_symbol === 'WETH')?.quantity_decimal).toBe('4.5')
})

test('SIGTERM ends the gateway and its engine', async () => {
  using folder = dataFolder()
  await using gateway = await startGateway(folder.path)
  const engine = enginePid(folder.path)
  expect(engine).not.toBeNull()
  expect(await gateway.stop()).toBe(0)
  expect(() => process.kill(engine!, 0)).toThrow()
})

/** Waits until the execution has a nonce. */
async function accepted(url: string, token: string): Promise<void> {
  const deadline = Date.now() + 20_000
  while (Date.now() < deadline) {
    const { items } = await ask(url, '/api/v1/multi-agent/executions', token)
    if (['reserved', 'signed', 'broadcast'].includes(items[0]?.state)) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('The trade was never accepted.')
}

test('a gateway that is killed amid claims pays each promised one once, and none twice', async () => {
  using folder = dataFolder()
  await using first = await startGateway(folder.path)
  const addresses = Array.from({ length: 8 }, (_, index) => `0x${'c0'.repeat(19)}0${index}`)
  const promised = new Map<string, string>()
  const enough = Promise.withResolvers<void>()
  const claims = addresses.map(async (address) => {
    const claim = await ask(first.urls.http, '/faucet/api/claim', '', { address })
    if (claim.success) promised.set(address, claim.claimId)
    if (promised.size === 2) enough.resolve()
  })
  const cutOff = Promise.allSettled(claims)
  await enough.promise
  await first.kill()
  await cutOff
  await using second = await startGateway(folder.path)
  for (const id of promised.values())
    await until(
      async () => (await ask(second.urls.http, `/faucet/api/claim/${id}`, '')).status === 'success',
      'a payment',
    )
  for (const address of addresses) {
    const balance = async () => BigInt(String(await askEngine(folder.path, 'eth_getBalance', [address, 'latest'])))
    // A caller without a response may claim again: either the first claim was stored, and is paid, or this one is.
    await ask(second.urls.http, '/faucet/api/claim', '', { address })
    await until(async () => (await balance()) > 0n, 'a payment')
    expect([address, await balance()]).toEqual([address, 10n ** 19n])
  }
})
