import { chmodSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

async function trader(url: string, email: string) {
  const user = await ask(url, '/api/v1/auth/register', '', {
    email,
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

/** Waits until the execution has a nonce. */
async function accepted(url: string, token: string): Promise<void> {
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    const { items } = await ask(url, '/api/v1/multi-agent/executions', token)
    if (['reserved', 'signed', 'broadcast'].includes(items[0]?.state)) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('The trade was never accepted.')
}

/** A gateway that was killed amid a trade and claims, after another trade, and the one that runs after it. */
async function killedAmidWork() {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(dataFolder())
  const first = opened.use(await startGateway(folder.path))
  const url = first.urls.http
  const ada = await trader(url, 'ada@example.com')
  const trade = await ask(url, execute, ada.token, ada.request)
  expect(trade).toMatchObject({ status: 'success' })
  const positions = await ask(url, '/api/v1/positions', ada.token)

  const bob = await trader(url, 'bob@example.com')
  const { input } = bob.request
  await ask(url, execute, bob.token, { ...bob.request, input: { ...input, simulate_only: true } }) // waits for funds
  const promised = new Map<string, string>()
  const enough = Promise.withResolvers<void>()
  const claims = addresses.map(async (address) => {
    const claim = await ask(url, '/faucet/api/claim', '', { address })
    if (claim.success) promised.set(address, claim.claimId)
    if (promised.size === 2) enough.resolve()
  })
  const claiming = Promise.allSettled(claims)
  await enough.promise
  // The trade begins last, so that it is still under way.
  const trading = ask(url, execute, bob.token, bob.request).catch(() => null)
  await accepted(url, bob.token)
  await first.kill()
  await Promise.all([claiming, trading])
  for (const file of filesOf(folder.path, 'chain')) chmodSync(file, 0o664)
  const second = opened.use(await startGateway(folder.path))
  return { ada, bob, trade, positions, promised, folder, second, opened: opened.move() }
}

/** The files in a folder, but for those that the engines write anew at each start and may remove at any time. */
function filesOf(...path: string[]): string[] {
  return readdirSync(join(...path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('cache-'))
    .map((entry) => join(entry.parentPath, entry.name))
}

const addresses = Array.from({ length: 8 }, (_, index) => `0x${'c0'.repeat(19)}0${index}`)

describe('after kill -9', () => {
  let state: Awaited<ReturnType<typeof killedAmidWork>>
  let url: string
  beforeAll(async () => {
    state = await killedAmidWork()
    url = state.second.urls.http
  })
  afterAll(async () => await state?.opened.disposeAsync())

  test('every file is for its owner alone, also those that others could read before', () => {
    const files = filesOf(state.folder.path)
    expect(files.map((file) => basename(file))).toEqual(
      expect.arrayContaining(['blocks.sqlite', 'lock', 'rollup.sqlite']),
    )
    expect(files.filter((file) => (statSync(file).mode & 0o077) !== 0)).toEqual([])
  })

  test('the trade, the books, the session and the chain agree, and the trade is not repeated', async () => {
    const { ada, trade, positions } = state
    expect(await ask(url, '/api/v1/positions', ada.token)).toEqual(positions)
    expect(await ask(url, execute, ada.token, ada.request)).toMatchObject({
      status: 'success',
      tx_hash: trade.tx_hash,
      replayed: true,
    })
    const page = await fetch(`${url}/explorer/tx/${trade.tx_hash}`)
    expect(page.status).toBe(200)
  })

  test('a trade that was under way is finished, and no other is made', async () => {
    const { token, request } = state.bob
    expect(await ask(url, execute, token, request)).toMatchObject({ status: 'success' })
    const { items } = await ask(url, '/api/v1/multi-agent/executions', token)
    expect(items).toHaveLength(1)
    const held: { token_symbol: string; quantity_decimal: string }[] = await ask(url, '/api/v1/positions', token)
    expect(held.find(({ token_symbol }) => token_symbol === 'WETH')?.quantity_decimal).toBe('4.5')
  })

  test('each promised claim is paid once, and none twice', async () => {
    const { folder, promised } = state
    for (const id of promised.values())
      await until(async () => (await ask(url, `/faucet/api/claim/${id}`, '')).status === 'success', 'a payment')
    for (const address of addresses) {
      const balance = async () => BigInt(String(await askEngine(folder.path, 'eth_getBalance', [address, 'latest'])))
      // A caller without a response may claim again: either the first claim was stored, and is paid, or this one is.
      await ask(url, '/faucet/api/claim', '', { address })
      await until(async () => (await balance()) > 0n, 'a payment')
      expect([address, await balance()]).toEqual([address, 10n ** 19n])
    }
  })

  // The last one: it ends the gateway of the others.
  test('SIGTERM ends the gateway and its engine', async () => {
    const engine = enginePid(state.folder.path)
    expect(engine).not.toBeNull()
    expect(await state.second.stop()).toBe(0)
    expect(() => process.kill(engine!, 0)).toThrow()
  })
})
