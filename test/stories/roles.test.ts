import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/settings/config.ts'
import { openObserver } from '../../src/wiring/open-observer.ts'
import { openWorkerProcess, type WorkerProcess } from '../../src/wiring/open-worker-process.ts'
import { output } from '../clients/client.ts'
import { dataFolder } from '../data-folder.ts'
import { freePorts } from '../free-ports.ts'
import { openTestSandbox } from '../sandbox-service.ts'
import { shared } from '../shared.ts'
import { fundedAccount, newAccount, openWorld, unhurried, unhurriedSettings, type World } from '../world.ts'

const opened = new AsyncDisposableStack()
let gateway: World
let settings: Record<string, string>
let first: WorkerProcess

async function openWorker() {
  const own = { ...freePorts, ...unhurriedSettings, LOG_LEVEL: 'silent', ROLES: 'worker' }
  const config = readConfig({ ...own, ...settings, DATA_DIR: opened.use(dataFolder()).path })
  const observer = opened.use(await openObserver(config))
  return opened.use(await openWorkerProcess(config, observer, unhurried))
}

beforeAll(async () => {
  const { url: SANDBOX_URL } = opened.use(await openTestSandbox())
  const [MASTER_KEY, TOKEN_SECRET] = ['ab'.repeat(32), 'cd'.repeat(32)]
  settings = { SANDBOX_URL, MASTER_KEY, TOKEN_SECRET, DATABASE_URL: await shared('database') }
  gateway = opened.use(await openWorld({ ...settings, DATA_DIR: opened.use(dataFolder()).path, ROLES: 'gateway' }))
})
afterAll(async () => await opened.disposeAsync())

test('a gateway without a worker reserves, and a worker that starts later sends', async () => {
  const waiting = await newAccount(gateway.clients.rest)
  const ready = async () => await (await fetch(`${gateway.urls.http}/health/ready`)).json()
  expect(await ready()).toMatchObject({ status: 'ready', checks: { worker: 'none runs: trades wait for one' } })
  const wallets = async () => await output(gateway.clients.rest.call('trading.listWallets', {}, waiting.token))
  expect(await wallets()).toMatchObject([{ funded: false }])
  first = await openWorker()
  await expect.poll(wallets, { timeout: 60_000 }).toMatchObject([{ funded: true }])

  const ada = await fundedAccount(gateway.clients.grpc)
  const trade = ada.trade('WETH', 'USDC', '0.01', 'by-a-worker')
  expect(await output(gateway.clients.grpc.call('trading.execute', trade, ada.token))).toMatchObject({
    status: 'success',
  })

  const get = async (path: string) => (await fetch(first.url + path)).status
  expect(await Promise.all(['/health/live', '/health/ready', '/metrics', '/api/v1/chains', '/'].map(get))).toEqual([
    200, 200, 401, 404, 404,
  ])
})

test('trades go on where the worker that follows the chain ends', async () => {
  const [ada] = await Promise.all([fundedAccount(gateway.clients.rest), openWorker()])
  const execute = async (key: string) => {
    const trade = ada.trade('WETH', 'USDC', '0.01', key)
    return await output(gateway.clients.rest.call('trading.execute', trade, ada.token))
  }
  expect(await execute('before')).toMatchObject({ status: 'success' })
  await first[Symbol.asyncDispose]()
  expect(await execute('after')).toMatchObject({ status: 'success' })
})

test.each(['gateway', 'worker'])('the role %s alone needs a database that other processes share', (ROLES) => {
  expect(() => readConfig({ ROLES })).toThrow(/set DATABASE_URL/)
  expect(() => readConfig({ ROLES: 'gateway,miner' })).toThrow(/ROLES: must be gateway or worker/)
})
