import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Client } from '../clients/client.ts'
import { dataFolder } from '../data-folder.ts'
import { startGateway } from '../gateway-process.ts'
import { anvilChainId, startAnvil } from '../node/anvil.ts'
import { newAccount, openWorld } from '../world.ts'

/** Why a gateway does not start with these settings. */
async function refusalOf(settings: Record<string, string>): Promise<string> {
  const opening = openWorld(settings).then(async (world) => await world[Symbol.asyncDispose]())
  return await opening.then(
    () => expect.fail('It started.'),
    (failure: Error) => failure.message,
  )
}

/** The error output of a process that does not start with these settings. */
async function refusalOfProcess(settings: Record<string, string>, dataDir: string | null = null): Promise<string> {
  const message = await startGateway(dataDir, settings).then(
    async (gateway) => {
      await gateway.kill()
      return 'It started.'
    },
    (failure: Error) => failure.message,
  )
  expect(message).toMatch(/^The gateway ended with 1 before it was ready:\n/)
  return message
}

/** The error output of `npm run config` for these settings. */
async function refusalOfConfig(settings: Record<string, string>): Promise<string> {
  const cwd = join(import.meta.dirname, '../..')
  const { promise, resolve } = Promise.withResolvers<string>()
  const received = (failure: { code?: unknown } | null, _: string, said: string) => resolve(`${failure?.code}: ${said}`)
  execFile(process.execPath, ['src/main.ts', '--print-config'], { cwd, env: settings }, received)
  expect(await promise).toMatch(/^1: /)
  return await promise
}

test('half-sent requests on every port hold a stop no longer than its grace', async () => {
  await using gateway = await startGateway()
  using sockets = new DisposableStack()
  const { http, grpc, rpc } = gateway.urls
  for (const port of [http, grpc, rpc].map((url) => Number(url.split(':').at(-1))))
    for (const part of ['', 'POST / HT', 'POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 10\r\n\r\n{']) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined) // is cut at the end, as intended
      await once(socket, 'connect')
      socket.write(part)
      sockets.defer(() => void socket.destroy())
    }
  // A part that hangs would cause the forced exit with code 1.
  expect(await gateway.stop()).toBe(0)
})

test.each(['HTTP_PORT', 'GRPC_PORT', 'RPC_PORT', 'L1_RPC_PORT', 'PROVIDERS_PORT'])(
  'where %s is taken the message names it and a next step',
  async (name) => {
    await using other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    // How it ends is the same for each port, and a process takes seconds.
    const refusal = name === 'HTTP_PORT' ? refusalOfProcess : refusalOf
    const said = await refusal({ [name]: `${port}` })
    expect(said).not.toMatch(/\n +at /)
    expect(said).toMatch(new RegExp(`${name} ${port} is taken: end the other program, or start with ${name}=\\d+\\.`))
  },
)

test.each([
  ['203.0.113.7', /HOST 203\.0\.113\.7 is not an address of this machine/],
  ['nowhere.invalid', /HOST nowhere\.invalid is neither an address nor a known name/],
])('where HOST is %s the message says so', async (HOST, message) => {
  expect(await refusalOf({ HOST })).toMatch(message)
})

test('where no server listens at DATABASE_URL the message says so, without the URL', async () => {
  const said = await refusalOf({ DATABASE_URL: 'postgres://trident:hush@127.0.0.1:1/trident' })
  expect(said).toMatch(/The database at DATABASE_URL cannot be opened or migrated\. No server listens at its address/)
  expect(said).not.toContain('hush')
})

test.each([
  [{ TRADE_CHAINS: '84532,1' }, /TRADE_CHAINS\.1: chain 1 is not connected; the chains are 84532 \(sandbox\)/],
  [{ TRADE_TOKENS: `0x${'12'.repeat(20)}` }, /TRADE_TOKENS\.0: this token is unknown on sandbox; .*WETH 0x/],
])('limits that name what there is not are refused at start (%j)', async (settings, message) => {
  const said = await refusalOf(settings)
  expect(said).toMatch(message)
})

test('with another master key the error says what to do, and with both keys it encrypts the wallet keys again', async () => {
  const [first, second] = ['1a'.repeat(32), '2b'.repeat(32)]
  using folder = dataFolder()
  const DATA_DIR = folder.path
  const runsAndStops = async (settings: Record<string, string>, work?: (client: Client) => Promise<unknown>) => {
    await using world = await openWorld({ DATA_DIR, ...settings })
    await work?.(world.clients.rest)
  }
  await runsAndStops({ MASTER_KEY: first }, newAccount)
  const said = await refusalOfProcess({ MASTER_KEY: second }, folder.path)
  expect(said).toMatch(/sealed with another master key\. Start with that one: as MASTER_KEY/)
  expect(said).not.toMatch(/(1a){32}|(2b){32}|\n +at /)
  await runsAndStops({ MASTER_KEY: second, PREVIOUS_MASTER_KEY: first })
  await runsAndStops({ MASTER_KEY: second })
})

test.each([
  ['started', async (settings: Record<string, string>) => await refusalOfProcess(settings)],
  ['asked for its settings', refusalOfConfig],
] as const)('a wrong setting is reported without a stack trace where the gateway is %s', async (_, refusal) => {
  const said = await refusal({ HTTP_PORT: 'abc', OPERATOR_TOKEN: 'short-secret' })
  expect(said).toContain("HTTP_PORT: must be a whole number from 0 to 65535, not 'abc'")
  expect(said).not.toMatch(/short-secret|\n +at /)
})

test('start-up names the host of a public node that does not respond, and fails where none responds', async () => {
  await using anvil = await startAnvil()
  const CHAIN_ID = String(anvilChainId)
  const dead = 'http://ada:key-of-mine@127.0.0.1:1/key-of-mine'
  const CHAIN_WS_URL = 'ws://127.0.0.1:1/key-of-mine'
  const settings = { CHAIN_ID, CHAIN_RPC_URL: `${dead},${anvil.url}`, CHAIN_WS_URL, L1_RPC_URL: anvil.url }
  await using gateway = await startGateway(null, settings)
  const banner = gateway.said()
  expect(banner).toContain('CHAIN_RPC_URL: 1 of 2 respond; silent: 127.0.0.1:1\n')
  expect(banner).toContain('L1_RPC_URL: 1 of 1 respond\n')
  expect(banner).toContain('CHAIN_WS_URL: no response yet; new blocks are polled')
  expect(banner).not.toContain('key-of-mine')
  const said = await refusalOf({ CHAIN_ID, CHAIN_RPC_URL: dead })
  expect(said).toContain('CHAIN_RPC_URL: 0 of 1 respond; silent: 127.0.0.1:1. Check')
  expect(said).not.toContain('key-of-mine')
})
