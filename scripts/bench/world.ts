import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { askEngine, engineSocket } from '../../test/engine.ts'
import { startAnvil } from '../../test/node/anvil.ts'
import { startGateway } from '../gateway-process.ts'
import { type Call, callsOf } from './calls.ts'
import type { Target } from './connections.ts'
import type { Sent } from './requests.ts'

/** One way to ask a call, and the way that it is compared with. */
export type Way = { name: string; target: Target; request(call: Call): Sent; comparedWith: string | null }

export type BenchWorld = AsyncDisposable & { calls: Call[]; ways: Way[] }

/**
 * Starts the gateway, a copy of its engine that speaks HTTP and WebSocket itself, and a bare server with fixed answers.
 * No block is made any more, so that both chains stay equal.
 */
export async function openBenchWorld(): Promise<BenchWorld> {
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway({ RATE_LIMITS: 'off', LOG_LEVEL: 'silent' }))
  const rpcUrl = gateway.urls.get('JSON-RPC') ?? ''
  const finalized = await finalizedBlock(rpcUrl)
  await ask(rpcUrl, 'admin_stopSequencer', [])
  const engine = opened.use(await startAnvil(['--network', 'optimism']))
  await engine.call('anvil_loadState', await askEngine(gateway.dataDir, 'anvil_dumpState', []))
  const toBlock = `0x${finalized.toString(16)}`
  const oldBlock = await fullestBlock(rpcUrl, finalized)
  const calls = callsOf({ oldBlock, token: addresses.weth, fromBlock: '0x1', toBlock })
  const answers = await Promise.all(calls.map((call) => sameAnswer(call, [rpcUrl, engine.url])))
  const bare = opened.use(
    await startBareServer(calls.map(({ jsonRpc }, index) => [jsonRpc.body, answers[index] ?? ''])),
  )

  const jsonRpc = (call: Call) => call.jsonRpc
  const http = (address: string): Target => ({ transport: 'http', address })
  const socket = (address: string): Target => ({ transport: 'websocket', address: address.replace('http', 'ws') })
  const grpc: Target = { transport: 'grpc', address: gateway.urls.get('gRPC') ?? '' }
  const ipc: Target = { transport: 'ipc', address: engineSocket(gateway.dataDir) }
  const trpcUrl = (gateway.urls.get('tRPC') ?? '').replace('/trpc', '')
  const resources = opened.move()
  return {
    calls,
    ways: [
      { name: 'engine, HTTP', target: http(engine.url), request: jsonRpc, comparedWith: null },
      { name: 'gateway, JSON-RPC over HTTP', target: http(rpcUrl), request: jsonRpc, comparedWith: 'engine, HTTP' },
      { name: 'gateway, tRPC', target: http(trpcUrl), request: ({ trpc }) => trpc, comparedWith: 'engine, HTTP' },
      { name: 'gateway, gRPC', target: grpc, request: (call) => call.grpc, comparedWith: 'engine, HTTP' },
      { name: 'engine, WebSocket', target: socket(engine.url), request: jsonRpc, comparedWith: null },
      { name: 'gateway, WebSocket', target: socket(rpcUrl), request: jsonRpc, comparedWith: 'engine, WebSocket' },
      { name: 'floor: engine, own socket', target: ipc, request: jsonRpc, comparedWith: null },
      { name: 'floor: bare node:http', target: http(bare.url), request: barePath, comparedWith: null },
    ],
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function ask(url: string, method: string, params: unknown[]): Promise<unknown> {
  const { result, error } = JSON.parse(await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

async function post(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return await response.text()
}

/** Waits until what the sandbox began with is final. */
async function finalizedBlock(url: string): Promise<number> {
  for (let tries = 0; tries < 60; tries += 1) {
    const block = (await ask(url, 'eth_getBlockByNumber', ['finalized', false])) as { number: string }
    if (Number(block.number) > 2) return Number(block.number)
    await sleep(500)
  }
  throw new Error('No block became final within 30 s.')
}

async function fullestBlock(url: string, last: number): Promise<string> {
  let found = { number: '0x1', count: 0 }
  for (let block = 1; block <= last; block += 1) {
    const number = `0x${block.toString(16)}`
    const count = Number(await ask(url, 'eth_getBlockTransactionCountByNumber', [number]))
    if (count > found.count) found = { number, count }
  }
  return found.number
}

/** Asks all of them, which must answer, and as much as each other; answers what the first one said. */
async function sameAnswer({ name, jsonRpc }: Call, urls: string[]): Promise<string> {
  const answers = await Promise.all(urls.map((url) => post(url, jsonRpc.body)))
  const lists = answers.map((answer) => JSON.parse(answer).result)
  if (lists.some((result) => result === undefined)) throw new Error(`${name} was not answered: ${answers.join(' ')}`)
  if (new Set(lists.map((result) => (Array.isArray(result) ? result.length : typeof result))).size > 1)
    throw new Error(`${name} was answered differently`)
  return answers[0] ?? ''
}

/** A bare server with a fixed answer for each call: what no gateway on this machine can be faster than. */
async function startBareServer(answers: [body: string, answer: string][]): Promise<AsyncDisposable & { url: string }> {
  const fixed = new Map(answers.map(([body, answer]) => [pathOf(body), answer]))
  const server = createServer((request, response) => {
    const answer = fixed.get(request.url ?? '') ?? ''
    const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) }
    request.resume().once('end', () => response.writeHead(200, head).end(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function barePath({ jsonRpc }: Call): Sent {
  return { path: pathOf(jsonRpc.body), body: jsonRpc.body }
}

function pathOf(body: string): string {
  return `/${Buffer.from(body).toString('base64url').slice(0, 100)}`
}
