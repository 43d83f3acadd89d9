import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { readConfig } from '../../src/settings/config.ts'
import { sandboxResponds } from '../../src/wiring/sandbox/await-sandbox.ts'
import { output } from '../clients/client.ts'
import { rpc } from '../clients/rpc-call.ts'
import { dataFolder } from '../data-folder.ts'
import { freePorts } from '../free-ports.ts'
import { openTestSandbox } from '../sandbox-service.ts'
import { drawn } from '../sized.ts'
import { fundedAccount, openWorld, protocols, type World } from '../world.ts'
import { mainJob } from './main-job.ts'

const opened = new AsyncDisposableStack()
let first: World
let second: World
let url: string
const SANDBOX_TOKEN = 'token-of-the-sandbox'
const said = vi.fn<(line: string) => void>()
const never = new Promise<never>(() => undefined)

async function openGateway(): Promise<World> {
  const settings = { DATA_DIR: opened.use(dataFolder()).path, SANDBOX_URL: url, SANDBOX_TOKEN }
  return opened.use(await openWorld(settings))
}

beforeAll(async () => {
  const sandbox = opened.use(await openTestSandbox({ SANDBOX_TOKEN }))
  url = sandbox.url
  ;[first, second] = await Promise.all([openGateway(), openGateway()])
})
afterAll(async () => await opened.disposeAsync())

test.concurrent.each(drawn(protocols, 1))('the main job over %s on a sandbox of another process', async (protocol) => {
  await mainJob(
    { ...first, askChain: async (method, params) => (await rpc(first.urls.rpc, method, ...params)).result },
    protocol,
  )
})

test('the faucet pays from the treasury of the sandbox', async () => {
  const address = `0x${'b'.repeat(40)}`
  const headers = { 'content-type': 'application/json' }
  const claim = { method: 'POST', headers, body: JSON.stringify({ address }) }
  const claimed = await (await fetch(`${second.urls.http}/faucet/api/claim`, claim)).json()
  expect(claimed).toMatchObject({ success: true, amount: String(10n ** 19n) })
  const balance = async () => (await rpc(first.urls.rpc, 'eth_getBalance', address, 'latest')).result as string
  await expect.poll(balance, { timeout: 60_000 }).toBe(`0x${(10n ** 19n).toString(16)}`)
})

test('both gateways show the same chains, with their blocks, parent, rollup node and subgraph', async () => {
  const show = async ({ urls, clients }: World) => {
    const account = await fundedAccount(clients.rest)
    const genesis = await rpc(urls.rpc, 'eth_getBlockByNumber', '0x0', false)
    const parent = await rpc(urls.l1 ?? '', 'eth_getBlockByNumber', '0x0', false)
    const { result: status } = await rpc(urls.rpc, 'optimism_syncStatus')
    const [chain] = await output(clients.rest.call('trading.listChains', {}, account.token))
    const query = { subgraph: chain.subgraph_url, gql: '{ pools(first: 1) { id } }', price_symbol: 'WETH' }
    const research = await output(clients.rest.call('research.preview', query, account.token))
    const { explorer_url: _, ...shown } = chain
    const isSafe = Number(status.safe_l2.number) >= 0
    return {
      genesis: genesis.result.hash,
      parent: parent.result.hash,
      isSafe,
      shown,
      pools: research.graph_data.data.pools,
      sources: research.parts.map(({ source }: { source: string }) => source),
    }
  }
  const here = await show(first)
  expect(here).toMatchObject({ isSafe: true, pools: [{}], sources: ['subgraph (sandbox)', 'tvlfeed (sandbox)'] })
  expect(await show(second)).toEqual(here)
  expect(JSON.stringify(here)).not.toContain(SANDBOX_TOKEN)
})

test('new blocks and transactions reach the subscribers of every gateway', async () => {
  const socket = new WebSocket(first.urls.rpc.replace('http', 'ws'))
  const seen: string[] = []
  socket.on('message', (data) => seen.push(String(data)))
  await new Promise((resolve) => socket.once('open', resolve))
  for (const [id, kind] of ['newHeads', 'newPendingTransactions'].entries())
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: [kind] }))
  await expect.poll(() => seen.length, { timeout: 60_000 }).toBe(2)
  const account = await fundedAccount(second.clients.rest)
  const swap = account.trade('WETH', 'USDC', '0.01', 'seen')
  const { tx_hash: hash } = await output(second.clients.rest.call('trading.execute', swap, account.token))
  await expect.poll(() => seen.some((text) => text.includes(hash)), { timeout: 60_000 }).toBe(true)
  await expect.poll(() => seen.some((text) => text.includes('parentHash')), { timeout: 60_000 }).toBe(true)
  socket.close()
})

test('an operator of any gateway stops and starts the sequencer of the sandbox', async () => {
  const call = async (method: string) => (await rpc(first.urls.rpc, method)).result
  const stopped = await call('admin_stopSequencer')
  const height = async () => Number((await rpc(second.urls.rpc, 'eth_blockNumber')).result)
  const before = await height()
  await sleep(2_500)
  expect(await height()).toBeLessThanOrEqual(before + 1)
  await call('admin_startSequencer')
  expect(stopped).toBe(true)
  await expect.poll(height, { timeout: 60_000 }).toBeGreaterThan(before + 1)
})

test.each([
  ['no token', {}, 401],
  ['another token', { authorization: 'Bearer another-token-of-this' }, 401],
  ['its token', { authorization: `Bearer ${SANDBOX_TOKEN}` }, 200],
])('a caller with %s', async (_, headers, status) => {
  for (const path of ['/trpc/facts', '/bitcoin/blocks/tip/hash'])
    expect((await fetch(url + path, { headers })).status).toBe(status)
})

test('a sandbox that is away makes its gateways not ready and refuses their callers, until it is back', async () => {
  using folder = dataFolder()
  const sandbox = await openTestSandbox({ DATA_DIR: folder.path })
  const port = new URL(sandbox.url).port
  const settings = { DATA_DIR: opened.use(dataFolder()).path, SANDBOX_URL: sandbox.url }
  await using world = await openWorld(settings)
  const account = await fundedAccount(world.clients.rest)
  await sandbox[Symbol.asyncDispose]()
  const status = async () => (await fetch(`${world.urls.http}/health/ready`)).status
  await expect.poll(status, { timeout: 60_000 }).toBe(503)
  const trade = account.trade('WETH', 'USDC', '0.01', 'away')
  const refused = await world.clients.rest.call('trading.execute', trade, account.token)
  expect(refused).toMatchObject({ ok: false, status: 503, code: 'UNAVAILABLE' })

  const config = readConfig({ ...freePorts, SANDBOX_URL: sandbox.url })
  expect(await sandboxResponds(config, sleep(50), said)).toBe(false)
  const waiting = sandboxResponds(config, never, said)
  await using _again = await openTestSandbox({ DATA_DIR: folder.path, SANDBOX_PORT: port })
  expect(await waiting).toBe(true)
  expect(said).toHaveBeenCalledWith(expect.stringContaining(`Waiting for the sandbox at ${sandbox.url}`))
  await expect.poll(status, { timeout: 60_000 }).toBe(200)
  const swap = account.trade('WETH', 'USDC', '0.01', 'away')
  expect(await output(world.clients.rest.call('trading.execute', swap, account.token))).toMatchObject({
    status: 'success',
  })
})

test('a sandbox with another world on the same address makes its gateways not ready', async () => {
  const sandbox = await openTestSandbox()
  await using world = await openWorld({ DATA_DIR: opened.use(dataFolder()).path, SANDBOX_URL: sandbox.url })
  await sandbox[Symbol.asyncDispose]()
  using folder = dataFolder()
  await using _other = await openTestSandbox({ DATA_DIR: folder.path, SANDBOX_PORT: new URL(sandbox.url).port })
  const account = { email: 'of-another-world@example.com', password: 'correct horse battery' }
  expect(await world.clients.rest.call('auth.register', account)).toMatchObject({ ok: true })
  const block = async () => (await rpc(world.urls.rpc, 'eth_getBalance', `0x${'1'.repeat(40)}`, 'latest')).error
  await expect
    .poll(block, { timeout: 60_000 })
    .toMatchObject({ message: expect.stringMatching(/node|respond|try again/i) })
  const ready = async () => (await fetch(`${world.urls.http}/health/ready`)).status
  await expect.poll(ready, { timeout: 60_000 }).toBe(503)
})

test('callers who are refused at an upgrade and reset the connection end nothing', async () => {
  const { port } = new URL(url)
  const upgrade = 'GET /trpc HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
  for (let count = 0; count < 300; count += 1) {
    const socket = connect({ port: Number(port), host: '127.0.0.1' }).on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(upgrade, () => socket.resetAndDestroy())
  }
  const headers = { authorization: `Bearer ${SANDBOX_TOKEN}` }
  expect((await fetch(`${url}/trpc/facts`, { headers })).status).toBe(200)
})

test('without a token the sandbox serves this machine alone, and no page of a browser', async () => {
  await expect(openTestSandbox({ HOST: '0.0.0.0' })).rejects.toThrow(/set SANDBOX_TOKEN here and at the gateways/)
  await using sandbox = await openTestSandbox()
  const status = async (headers: Record<string, string>) => {
    const { get } = await import('node:http')
    return await new Promise((resolve) =>
      get(`${sandbox.url}/trpc/facts`, { headers }, (response) => resolve(response.resume().statusCode)),
    )
  }
  expect(await status({})).toBe(200)
  expect(await status({ host: 'rebound.example' })).toBe(401)
  expect(await status({ origin: 'http://127.0.0.1:3000' })).toBe(401)
})

test('a gateway with another chain id or token does not start, and says why', async () => {
  const settings = { DATA_DIR: opened.use(dataFolder()).path, SANDBOX_URL: url }
  await expect(openWorld({ ...settings, SANDBOX_TOKEN, CHAIN_ID: '2370' })).rejects.toThrow(/CHAIN_ID/)
  const config = readConfig({ ...freePorts, ...settings, SANDBOX_TOKEN: 'another-token-of-this' })
  await expect(sandboxResponds(config, never, said)).rejects.toThrow(/SANDBOX_TOKEN is not the one/)
})
