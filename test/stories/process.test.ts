import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { freePorts } from '../free-ports.ts'
import { anvilChainId, startAnvil } from '../node/anvil.ts'

type Gateway = ChildProcessByStdio<null, Readable, Readable>

const root = join(import.meta.dirname, '../..')
const ends: (() => void)[] = []

afterEach(() => {
  for (const end of ends.splice(0).reverse()) end()
})

/** Starts the gateway as a process of its own, in an environment that holds nothing but what is named here. */
function start(settings: Record<string, string>, ...args: string[]): Gateway {
  const dataDir = mkdtempSync(join(tmpdir(), 'trident-process-'))
  const free = {
    ...freePorts,
    LOG_LEVEL: 'silent',
    DATA_DIR: dataDir,
  }
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...free, ...settings }
  const child = spawn(process.execPath, ['src/main.ts', ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  ends.push(() => {
    child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  })
  return child
}

async function bannerOf({ stdout }: Gateway): Promise<string> {
  let banner = ''
  while (!banner.includes('Next, register')) banner += String((await once(stdout, 'data'))[0])
  stdout.resume()
  return banner
}

async function portsOf(gateway: Gateway): Promise<number[]> {
  const banner = await bannerOf(gateway)
  return [/REST\s+\S+:(\d+)/, /gRPC\s+\S+:(\d+)/, /JSON-RPC\s+\S+:(\d+)/].map((line) => Number(line.exec(banner)?.[1]))
}

test('half-sent requests on every port hold a stop no longer than its grace', async () => {
  const gateway = start({})
  const sockets: Socket[] = []
  for (const port of await portsOf(gateway))
    for (const part of ['', 'POST / HT', 'POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 10\r\n\r\n{']) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined) // cut in the end, as it should be
      await once(socket, 'connect')
      socket.write(part)
      sockets.push(socket)
    }
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
  })
  gateway.kill('SIGTERM')
  // A part that hangs would end in the forced exit, which is 1.
  expect(await once(gateway, 'exit')).toEqual([0, null])
})

test.each(['HTTP_PORT', 'GRPC_PORT', 'RPC_PORT', 'L1_RPC_PORT', 'PROVIDERS_PORT'])(
  'where %s is taken the message names it and a next step',
  async (name) => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    ends.push(() => other.close())
    const { port } = other.address() as { port: number }
    const gateway = start({ [name]: `${port}` })
    const [said, [code]] = await Promise.all([text(gateway.stderr), once(gateway, 'exit')])
    expect(code).toBe(1)
    expect(said).toMatch(new RegExp(`${name} ${port} is taken: end the other program, or start with ${name}=\\d+\\.`))
  },
)

test.each([
  ['203.0.113.7', /HOST 203\.0\.113\.7 is no address of this machine/],
  ['nowhere.invalid', /HOST nowhere\.invalid is no address and no known name/],
])('where HOST is %s the message says so', async (HOST, message) => {
  const gateway = start({ HOST })
  const [said, [code]] = await Promise.all([text(gateway.stderr), once(gateway, 'exit')])
  expect(code).toBe(1)
  expect(said).toMatch(message)
})

test.each([
  [{ TRADE_CHAINS: '84532,1' }, /TRADE_CHAINS\.1: chain 1 is not connected; the chains are 84532 \(sandbox\)/],
  [{ TRADE_TOKENS: `0x${'12'.repeat(20)}` }, /TRADE_TOKENS\.0: this token is not known on sandbox; .*WETH 0x/],
])('limits that name what there is not are refused at start (%j)', async (settings, message) => {
  const gateway = start(settings)
  const [said, [code]] = await Promise.all([text(gateway.stderr), once(gateway, 'exit')])
  expect(code).toBe(1)
  expect(said).toMatch(message)
  expect(said).not.toMatch(/\n +at /)
})

test('with another master key it says what to do, and with both it seals the keys anew', async () => {
  const [first, second] = ['1a'.repeat(32), '2b'.repeat(32)]
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'trident-process-'))
  ends.push(() => rmSync(DATA_DIR, { recursive: true, force: true }))
  const begin = (settings: Record<string, string>) => start({ DATA_DIR, ...settings })
  const runsAndStops = async (settings: Record<string, string>, work?: (port: number) => Promise<void>) => {
    const gateway = begin(settings)
    const [http = 0] = await portsOf(gateway)
    await work?.(http)
    gateway.kill('SIGTERM')
    expect(await once(gateway, 'exit')).toEqual([0, null])
  }
  await runsAndStops({ MASTER_KEY: first }, async (http) => {
    const account = { email: 'ada@example.com', password: 'correct horse battery' }
    const headers = { 'content-type': 'application/json' }
    const url = `http://127.0.0.1:${http}/api/v1/auth/register`
    expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(account) })).status).toBe(200)
  })
  const wrong = begin({ MASTER_KEY: second })
  const [said, [code]] = await Promise.all([text(wrong.stderr), once(wrong, 'exit')])
  expect(code).toBe(1)
  expect(said).toMatch(/sealed with another master key\. Start with that one: as MASTER_KEY/)
  expect(said).not.toMatch(/(1a){32}|(2b){32}|\n +at /)
  await runsAndStops({ MASTER_KEY: second, PREVIOUS_MASTER_KEY: first })
  await runsAndStops({ MASTER_KEY: second })
})

test.each([[[]], [['--print-config']]])('a wrong setting is told without a stack trace (%j)', async (args) => {
  const gateway = start({ HTTP_PORT: 'abc', OPERATOR_TOKEN: 'short-secret' }, ...args)
  const [said, [code]] = await Promise.all([text(gateway.stderr), once(gateway, 'exit')])
  expect(code).toBe(1)
  expect(said).toContain("HTTP_PORT: must be a whole number from 0 to 65535, not 'abc'")
  expect(said).not.toMatch(/short-secret|\n +at /)
})

test('a public node that does not answer is told at start by its host, and where none does there is no start', async () => {
  await using anvil = await startAnvil()
  const CHAIN_ID = String(anvilChainId)
  const dead = 'http://ada:key-of-mine@127.0.0.1:1/key-of-mine'
  const gateway = start({ CHAIN_ID, CHAIN_RPC_URL: `${dead},${anvil.url}`, L1_RPC_URL: anvil.url })
  const banner = await bannerOf(gateway)
  expect(banner).toContain('CHAIN_RPC_URL: 1 of 2 answer; silent: 127.0.0.1:1\n')
  expect(banner).toContain('L1_RPC_URL: 1 of 1 answer\n')
  expect(banner).not.toContain('key-of-mine')
  const none = start({ CHAIN_ID, CHAIN_RPC_URL: dead })
  const [said, [code]] = await Promise.all([text(none.stderr), once(none, 'exit')])
  expect(code).toBe(1)
  expect(said).toContain('CHAIN_RPC_URL: 0 of 1 answer; silent: 127.0.0.1:1. Check')
  expect(said).not.toContain('key-of-mine')
})
