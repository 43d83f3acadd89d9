import { createWalletClient, type Hex, http, numberToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../world.ts'

const key = 'key-of-the-work-test-0123456789'
let world: World
beforeAll(async () => {
  world = await openWorld({
    RATE_LIMITS: 'on',
    RATE_RULES: 'work=100/3600,work_developer=100/3600,work_pro=30/3600,work_enterprise=1000/3600',
    RPC_API_KEYS: `${key}:developer,${key}-2:pro,${key}-3:enterprise`,
  })
})
afterAll(async () => await world[Symbol.asyncDispose]())

const code = '0x00000000000000000000000000000000000c0de5'
/** Uses about as much gas as its input says, then stops. */
const burner = '0x5f355a035b805a11600457 00'.replace(' ', '')
const burns = (gas: number) =>
  [{ to: code, data: numberToHex(gas, { size: 32 }) }, 'latest', { [code]: { code: burner } }] as const

async function ask(method: string, params: readonly unknown[], apiKey?: string) {
  const response = await fetch(world.urls.rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey && { 'x-api-key': apiKey }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const body = (await response.json()) as { result?: unknown; error?: { code: number; message: string; data: object } }
  const header = (name: string) => response.headers.get(`x-ratelimit-${name}`)
  return { ...body, status: response.status, left: Number(header('work-remaining')), header }
}

test('what uses a million gas or more is counted by its gas, and refused once none is left', async () => {
  const cheap = await ask('eth_call', burns(900_000))
  expect(cheap).toMatchObject({ result: '0x', left: 100 })
  expect(cheap.header('work-limit')).toBe('100')
  expect(cheap.header('remaining')).not.toBeNull()
  // The call and what follows from it: a method, the gas that it uses, and the millions that are counted.
  const [transaction, , overrides] = burns(5_500_000)
  const reads: [string, readonly unknown[], number][] = [
    ['eth_call', burns(20_500_000), 20],
    ['eth_estimateGas', [transaction, 'latest', overrides], 11],
    ['eth_estimateGas', [{ to: code, gas: numberToHex(4_000_000) }, 'latest', { [code]: { code: '0x5b5f56' } }], 4],
    [
      'eth_simulateV1',
      [{ blockStateCalls: [{ calls: [transaction, transaction], stateOverrides: overrides }] }, 'latest'],
      11,
    ],
    ['eth_call', [{ to: code, gas: '0xf4240' }, 'latest', { [code]: { code: '0x5b5f56' } }], 0],
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }], 0],
    ['eth_getBalance', [code, 'latest'], 0],
  ]
  let left = 100
  for (const [method, params, counted] of reads) {
    const read = await ask(method, params)
    left -= counted
    if (read.header('work-remaining') !== null) expect([method, read.left]).toEqual([method, left])
    else expect(method).toBe('eth_getBalance')
  }
  for (; left > 0; left -= 45) await ask('eth_call', burns(45_500_000))
  const refused = await ask('eth_call', burns(0))
  expect(refused).toMatchObject({
    status: 429,
    left: 0,
    error: { code: -32005, message: expect.stringContaining('The rate work allows 100 million gas in 3600 s.') },
  })
  expect(refused.error?.data).toMatchObject({ limit: 100, reset: Number(refused.header('work-reset')) })
  expect(await ask('eth_getBalance', [code, 'latest'])).toMatchObject({ result: '0x0' })
})

test('who hangs up is counted all the same', async () => {
  const left = async () => (await ask('eth_call', burns(0), `${key}-3`)).left
  const before = await left()
  let calls = 0
  const hangUp = async () => {
    const headers = { 'content-type': 'application/json', 'x-api-key': `${key}-3` }
    calls += 1
    const [transaction, block, overrides] = burns(45_000_000 - calls)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [transaction, block, overrides] })
    const signal = AbortSignal.timeout(30)
    await fetch(world.urls.rpc, { method: 'POST', headers, body, signal }).catch(() => undefined)
  }
  // What has not begun when its caller hangs up costs nothing, and a busy machine begins late: so again until three ran.
  const leftAfter = async () => {
    await hangUp()
    return await left()
  }
  await expect.poll(leftAfter, { timeout: 120_000 }).toBeLessThan(before - 130)
})

test('every protocol counts alike, by key where there is one, and a batch shares what its caller has left', async () => {
  expect(await ask('eth_call', burns(45_500_000), key)).toMatchObject({ left: 55 })
  expect(await ask('eth_call', burns(2_500_000), `${key}-2`)).toMatchObject({ left: 28 })
  const batch = await fetch(world.urls.rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': `${key}-2` },
    body: JSON.stringify(
      [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'eth_call', params: burns(20_500_000) })),
    ),
  })
  const answers = (await batch.json()) as { error?: { code: number } }[]
  expect(answers.map(({ error }) => error?.code)).toEqual([undefined, undefined, -32005])
  const [transaction, block] = burns(0)
  for (const protocol of ['trpc', 'grpc'] as const) {
    const refused = await world.clients[protocol].call('chain.call', { transaction, block })
    expect(refused).toMatchObject({ ok: false, code: 'RATE_LIMITED', headers: { 'x-ratelimit-work-remaining': '0' } })
  }
})

test('viem estimates and sends while others have used up their work', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const transport = http(world.urls.rpc, { fetchOptions: { headers: { 'x-api-key': key } } })
  const wallet = createWalletClient({ account, transport })
  const request = (method: 'eth_estimateGas') =>
    wallet.request({ method, params: [{ from: account.address, to: code as Hex }] })
  expect(await request('eth_estimateGas')).toBe('0x5208')
})
