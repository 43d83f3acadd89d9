import { execFileSync, spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, erc20Abi, formatUnits, type Hex, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Client, output } from '../clients/client.ts'
import { mcpClient } from '../clients/mcp.ts'
import { restClient } from '../clients/rest.ts'
import { dataFolder } from '../data-folder.ts'
import { startGateway } from '../gateway-process.ts'
import { shared } from '../shared.ts'
import { type Account, fundedAccount, password } from '../world.ts'

/** The last commit before this version; its databases must still open. */
const before = 'b9d247c02ef39ca7010ad66990a34e31d8e0e2bf'
const root = join(import.meta.dirname, '../..')
const isKnown = spawnSync('git', ['cat-file', '-e', `${before}^{commit}`], { cwd: root }).status === 0
const unlessKnown = isKnown ? '' : ` (skipped: this clone lacks the commit ${before.slice(0, 7)})`

const amount = '0.01'
const keys = ['a', 'b', 'c', 'd', 'e', 'f']
const decided = ['included', 'safe', 'finalized']

const code = dataFolder()

beforeAll(async () => {
  if (!isKnown) return
  const archive = execFileSync('git', ['archive', before], {
    cwd: root,
    maxBuffer: 2 ** 28,
  })
  execFileSync('tar', ['-x', '-C', code.path], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(code.path, 'node_modules'))
})
afterAll(() => code[Symbol.dispose]())

const databases = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: await shared('empty-database') }),
}

for (const [name, settingsOf] of Object.entries(databases))
  test.skipIf(!isKnown)(
    `a gateway of the version before, killed with trades open on ${name}, is taken over whole${unlessKnown}`,
    async () => {
      using folder = dataFolder()
      const settings: Record<string, string> = await settingsOf()
      const left = await leaveTradesOpen(folder.path, settings)

      // Its folder knows no market: the prices move from where they stood.
      await using gateway = await startGateway(folder.path, { ...settings, SANDBOX_MARKET: 'moving' })
      const client = restClient(gateway.urls.http)
      const { ada } = left
      await until(
        async () => (await executionsOf(client, ada)).every(({ state }) => decided.includes(state)),
        'every trade to end',
      )
      const trades = new Map<string, string>()
      for (const key of ['first', ...keys]) {
        const answer = await output(send(client, ada, key))
        expect([key, answer.status]).toEqual([key, 'success'])
        trades.set(key, answer.tx_hash)
      }
      expect(trades.get('first')).toBe(left.firstHash)
      expect(new Set(trades.values()).size).toBe(trades.size)
      expect(await executionsOf(client, ada)).toHaveLength(trades.size)
      await booksEqualChain(client, gateway.urls.rpc, ada)
      await entriesStay(client, ada, left.entry)
      expect(await output(client.call('chat.history', {}, ada.token))).toEqual(left.history)
      const sessions = await output(client.call('auth.listSessions', {}, ada.userToken))
      const ids = sessions.map(({ session_id }: { session_id: string }) => session_id)
      expect(ids).toEqual([left.agent.session_id, ada.sessionId])
      expect(sessions[0]).toMatchObject({ over_mcp: 'every_trade' })
      await using agent = await mcpClient(gateway.urls.http, left.agent.token.access_token)
      const swap = { token_in_address: 'USDC', token_out_address: 'WETH', amount_in: '1' }
      expect((await agent.call('trade', swap)).value).toMatchObject({
        status: 'pending',
        confirm_url: expect.any(String),
      })
      await output(client.call('auth.login', { username: ada.email, password }))
      expect(gateway.complaints()).toBe('')
    },
  )

/** Trades and chats with the previous version, and kills it while several trades are at different steps. */
async function leaveTradesOpen(dataDir: string, settings: Record<string, string>) {
  await using gateway = await startGateway(dataDir, settings, code.path)
  const client = restClient(gateway.urls.http)
  const ada = await fundedAccount(client)
  const question = { messages: [{ role: 'user', content: 'quote 1 WETH to USDC' }] }
  await output(client.call('chat.send', question, ada.token))
  const history = await output(client.call('chat.history', {}, ada.token))
  const first = await output(send(client, ada, 'first'))
  expect(first.status).toBe('success')
  const [entry] = (await output(client.call('metrics.listClosedTrades', {}, ada.token))).items
  const lost = keys.map((key) => send(client, ada, key).catch(() => null))
  const open = async () => (await executionsOf(client, ada)).filter(({ state }) => !decided.includes(state))
  await until(async () => {
    const states = (await open()).map(({ state }) => state)
    return states.length >= 3 && states.includes('broadcast')
  }, 'trades under way')
  const grant = { scopes: ['read', 'trade'], confirm_above_usd: 100 }
  const agent = await output(client.call('auth.createSession', { grant }, ada.userToken))
  await gateway.kill()
  await Promise.all(lost)
  return { ada, agent, history, entry, firstHash: first.tx_hash as string }
}

function send(client: Client, ada: Account, key: string) {
  return client.call('trading.execute', ada.trade('WETH', 'USDC', amount, key), ada.token)
}

async function executionsOf(client: Client, ada: Account): Promise<{ state: string }[]> {
  const { items } = await output(client.call('trading.listExecutions', {}, ada.token))
  return items.filter(({ state }: { state: string }) => state !== 'simulated')
}

/** What the version before booked is as it was, and what this one booked names the side that it is valued by. */
async function entriesStay(client: Client, ada: Account, entry: object): Promise<void> {
  const { items } = await output(client.call('metrics.listClosedTrades', {}, ada.token))
  expect(items.at(-1)).toEqual({ ...entry, valued_by: null })
  expect(items[0]).toMatchObject({ valued_by: 'token_out' })
  const { realized_pnl_usd, gas_usd } = await output(client.call('metrics.realizedPnl', {}, ada.token))
  const profits = items.map(({ profit_usd }: { profit_usd: number }) => profit_usd)
  expect(profits.reduce((sum: number, profit: number) => sum + profit, 0)).toBeCloseTo(realized_pnl_usd, 9)
  const gas = items.map((item: { gas_usd: number }) => item.gas_usd)
  expect(gas.reduce((sum: number, paid: number) => sum + paid, 0)).toBeCloseTo(gas_usd, 9)
}

async function booksEqualChain(client: Client, rpc: string, ada: Account): Promise<void> {
  const chain = createPublicClient({ transport: http(rpc) })
  const held = async (symbol: string, decimals: number) => {
    const call = { address: ada.address(symbol) as Hex, abi: erc20Abi, functionName: 'balanceOf' } as const
    return formatUnits(await chain.readContract({ ...call, args: [ada.wallet as Hex] }), decimals)
  }
  const booked = async (symbol: string) => {
    const [position] = await output(client.call('metrics.positions', { token_symbol: symbol }, ada.token))
    return position.quantity_decimal
  }
  expect(await booked('WETH')).toBe('4.93')
  expect(await booked('WETH')).toBe(await held('WETH', 18))
  expect(await booked('USDC')).toBe(await held('USDC', 6))
}
