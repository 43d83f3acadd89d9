import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Client, output } from '../clients/client.ts'
import { openClients } from '../clients/clients.ts'
import { rpc } from '../clients/rpc-call.ts'
import { dataFolder } from '../data-folder.ts'
import { startGateway } from '../gateway-process.ts'
import { operatorToken } from '../operator-token.ts'
import { type Account, fundedAccount, newAccount, openWorld } from '../world.ts'

/** Block times of a gateway process, for one in this process that goes on with its folder. */
const ofProcess = { blockTimeSeconds: 2 }

const marketFile = (dataDir: string) => join(dataDir, 'chain', 'market.json')

/** A part of the file in which a sandbox keeps its market. */
type Stored = { seed: string; began: number; segments: { at: number; mode: string; off: { ETH: number } }[] }

const storedIn = (dataDir: string): Stored => JSON.parse(readFileSync(marketFile(dataDir), 'utf8'))

/** How the market runs, and its prices, by the answer of the operator's hand on it. */
async function setMarket(client: Client, id: 'setSandboxPrice' | 'setSandboxMarket', input: object) {
  const { mode, speed, prices } = await output(client.call(`operator.${id}`, input, operatorToken))
  const usd = (symbol: string): number => prices.find((one: { symbol: string }) => one.symbol === symbol).price_usd
  return { mode, speed, ETH: usd('ETH'), BTC: usd('BTC') }
}

/** What the feed of ETH on the chain says. */
async function feedOf(client: Client, { token }: Pick<Account, 'token'>): Promise<number> {
  const { price } = await output(client.call('tools.oraclePrice', { chain: 'sandbox', pair: 'ETH/USD' }, token))
  return Number(price)
}

test('what an operator set outlasts kill -9, and the path goes on', async () => {
  using folder = dataFolder()
  const settings = { SANDBOX_MARKET: 'moving', SANDBOX_SPEED: '2' }
  {
    await using gateway = await startGateway(folder.path, { ...settings, SANDBOX_SEED: 'one' })
    await using clients = openClients(gateway.urls)
    await setMarket(clients.rest, 'setSandboxMarket', { speed: 0.1 })
    expect(await setMarket(clients.rest, 'setSandboxPrice', { symbol: 'ETH', price_usd: 2_000 })).toMatchObject({
      mode: 'moving',
      speed: 0.1,
      ETH: 2_000,
    })
    await gateway.kill()
  }
  const before = storedIn(folder.path)
  {
    // Without the seed, which the folder keeps.
    await using gateway = await startGateway(folder.path, settings)
    expect(gateway.said()).toContain('Market: prices move 0.1 times as fast as real ones; SANDBOX_SEED=one repeats')
    expect(storedIn(folder.path)).toEqual(before)
    await using clients = openClients(gateway.urls)
    const account = await newAccount(clients.rest)
    const offBy = async () => Math.abs((await feedOf(clients.rest, account)) / 2_000 - 1)
    await expect.poll(offBy, { timeout: 60_000 }).toBeLessThan(0.003)
    await gateway.kill()
  }
})

test('a changed setting acts at the next start, but for the seed, which is refused', async () => {
  using folder = dataFolder()
  const moving = { DATA_DIR: folder.path, SANDBOX_MARKET: 'moving', SANDBOX_SPEED: '2' }
  {
    await using world = await openWorld({ ...moving, SANDBOX_SEED: 'one' })
    await setMarket(world.clients.rest, 'setSandboxPrice', { symbol: 'ETH', price_usd: 2_000 })
  }
  const { began } = storedIn(folder.path)
  await expect(openWorld({ ...moving, SANDBOX_SEED: 'two' })).rejects.toThrow(
    'runs on the seed one: leave SANDBOX_SEED out, or begin in an empty DATA_DIR.',
  )
  await using world = await openWorld({ ...moving, SANDBOX_MARKET: 'still', SANDBOX_SPEED: '3' })
  const running = await setMarket(world.clients.rest, 'setSandboxPrice', { symbol: 'BTC', price_usd: 50_000 })
  expect(running).toMatchObject({ mode: 'still', speed: 3, BTC: 50_000 })
  expect(Math.abs(running.ETH / 2_000 - 1)).toBeLessThan(0.01)
  expect(storedIn(folder.path)).toMatchObject({ seed: 'one', began })
})

/** A folder whose market has never moved, of a gateway that was killed with one trade done and one pending. */
async function stillFolder(dataDir: string) {
  await using gateway = await startGateway(dataDir)
  await using clients = openClients(gateway.urls)
  const account = await fundedAccount(clients.rest)
  const trade = (key: string) =>
    clients.rest.call('trading.execute', account.trade('WETH', 'USDC', '0.5', key), account.token)
  expect(await output(trade('done'))).toMatchObject({ status: 'success' })
  await rpc(gateway.urls.rpc, 'admin_stopSequencer')
  const pending = trade('pending').catch(() => null) // ends with the gateway
  const newest = async () => (await output(clients.rest.call('trading.listExecutions', {}, account.token))).items[0]
  await expect.poll(async () => (await newest()).state, { timeout: 60_000 }).toBe('broadcast')
  await gateway.kill()
  await pending
  expect(existsSync(marketFile(dataDir))).toBe(false)
  return account
}

test('a folder from before the market moved goes on with its pending trade, and moves from its present prices', async () => {
  using folder = dataFolder()
  const account = await stillFolder(folder.path)
  // With this seed the price is off by more than the feed allows from the fourth second on.
  const settings = { SANDBOX_MARKET: 'moving', SANDBOX_SPEED: '60', SANDBOX_SEED: '130' }
  await using world = await openWorld({ DATA_DIR: folder.path, ...settings }, undefined, ofProcess)
  const { rest } = world.clients
  const repeated = account.trade('WETH', 'USDC', '0.5', 'pending')
  const first = await output(rest.call('trading.execute', repeated, account.token))
  expect(first).toMatchObject({ status: 'success' })
  expect(await output(rest.call('trading.execute', repeated, account.token))).toMatchObject({ tx_hash: first.tx_hash })
  const { items } = await output(rest.call('trading.listExecutions', {}, account.token))
  expect(items).toHaveLength(2)
  const positions: { token_symbol: string; quantity_decimal: string }[] = await output(
    rest.call('metrics.positions', {}, account.token),
  )
  expect(positions.find(({ token_symbol }) => token_symbol === 'WETH')?.quantity_decimal).toBe('4')

  const { began, segments } = storedIn(folder.path)
  const [past, present] = segments
  // The same distance from the path says that the price does not jump.
  expect([past?.mode, present?.mode, segments.length]).toEqual(['still', 'moving', 2])
  expect(present?.off.ETH).toBe(past?.off.ETH)
  expect(began).toBe(past?.at)
  await expect.poll(() => feedOf(rest, account), { timeout: 60_000 }).not.toBe(3_000)
})
