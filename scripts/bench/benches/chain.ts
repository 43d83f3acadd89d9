import { isDeepStrictEqual } from 'node:util'
import { grpcMethods } from '../../../generated/grpc/services.ts'
import { addresses } from '../../../src/sandbox/deploy/addresses.ts'
import { until } from '../../../src/sandbox/fixtures/testing.ts'
import { rpc } from '../../../test/clients/rpc-call.ts'
import { askEngine } from '../../../test/engine.ts'
import { startGateway } from '../../../test/gateway-process.ts'
import { startAnvil } from '../../../test/node/anvil.ts'
import type { ProcessUse } from '../../../test/process-use.ts'
import { startChild } from '../child.ts'
import { type Bench, type Figure, perSecondOf } from '../figures.ts'
import { failure, marker, type Sent, type Target } from '../load/connections.ts'
import type { Load } from '../load/load.ts'
import { wideRates } from '../servers/served.ts'
import { inTurns } from '../turns.ts'

const rounds = 3
const connections = 8
const slotMs = 300
/**
 * The gateway is warmed up until its code is compiled, a little on each call in each way in turn; otherwise the first
 * measurements would be slower. The engine is compiled code.
 */
const warmingUp = { slotMs: 100, workedMs: 8_000 }

/**
 * Node calls through the gateway compared with the same calls directly to the engine, in turns, so that a slow phase of
 * the machine affects all of them.
 */
export const bench: Bench = async () => {
  await using world = await openBenchWorld()
  await using generator = startChild('load/load.ts')
  const rows = world.calls.map((call) => ({
    what: call.name,
    ways: world.ways.flatMap(({ name, target, requestOf }) => {
      const request = requestOf(call)
      return request === null ? [] : [{ name, target, request }]
    }),
  }))
  type Asked = (typeof rows)[number]['ways'][number]
  const run = ({ target, request }: Asked, milliseconds: number) =>
    generator.ask<Load>({ target, request, connections, milliseconds })

  const all = rows.flatMap(({ ways }) => ways)
  const began = world.use.processorMs()
  while (world.use.processorMs() - began < warmingUp.workedMs) for (const way of all) await run(way, warmingUp.slotMs)

  const figures: Figure[] = []
  for (const { what, ways } of rows) {
    const loads = await inTurns(ways, rounds, (way) => run(way, slotMs))
    const [floor, ...others] = ways.map((way) => ({ name: way.name, ...perSecondOf(loads.get(way) ?? []) }))
    if (floor === undefined) continue
    for (const { name, ...measured } of others) figures.push({ what, way: name, unit: 'a second', ...measured, floor })
  }
  return figures
}

/** A protocol by which a node method is called. Not every method is available on every protocol. */
type Way = { name: string; target: Target; requestOf(call: Call): Sent | null }

/** The first protocol is the baseline; `use` is the CPU time and memory of the gateway. */
type BenchWorld = AsyncDisposable & { calls: Call[]; ways: Way[]; use: ProcessUse }

/**
 * Starts the gateway, and a copy of its engine that serves HTTP itself. No more blocks are mined, so that both chains
 * stay equal.
 */
async function openBenchWorld(): Promise<BenchWorld> {
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway(null, { ...wideRates, LOG_LEVEL: 'silent' }))
  const rpcUrl = gateway.urls.rpc
  const finalized = await finalizedBlock(rpcUrl)
  await ask(rpcUrl, 'admin_stopSequencer', [])
  const chainId = Number(await ask(rpcUrl, 'eth_chainId', []))
  const engine = opened.use(await startAnvil(['--network', 'optimism'], { chainId }))
  await engine.call('anvil_loadState', await askEngine(gateway.dataDir, 'anvil_dumpState', []))
  const toBlock = `0x${finalized.toString(16)}`
  const oldBlock = await fullestBlock(rpcUrl, finalized)
  const calls = callsOf({ oldBlock, token: addresses.weth, fromBlock: '0x1', toBlock })
  for (const call of calls) await checkAnswers(call, rpcUrl, engine.url)

  const jsonRpc = (call: Call) => call.jsonRpc
  const http = (address: string): Target => ({ transport: 'http', address })
  const socket: Target = { transport: 'websocket', address: rpcUrl.replace('http', 'ws') }
  const grpc: Target = { transport: 'grpc', address: gateway.urls.grpc }
  const resources = opened.move()
  return {
    calls,
    ways: [
      { name: 'engine over HTTP', target: http(engine.url), requestOf: jsonRpc },
      { name: 'JSON-RPC over HTTP', target: http(rpcUrl), requestOf: jsonRpc },
      { name: 'JSON-RPC over WebSocket', target: socket, requestOf: jsonRpc },
      { name: 'tRPC', target: http(gateway.urls.http), requestOf: (call) => call.trpc },
      { name: 'gRPC', target: grpc, requestOf: (call) => call.grpc },
    ],
    use: gateway,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function ask(url: string, method: string, params: unknown[]): Promise<unknown> {
  const { result, error } = await rpc(url, method, ...params)
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

async function post(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return await response.text()
}

/** Waits until the sandbox's first blocks are final. Returns the number of the newest final block. */
async function finalizedBlock(url: string): Promise<number> {
  let number = 0
  await until(async () => {
    number = Number(((await ask(url, 'eth_getBlockByNumber', ['finalized', false])) as { number: string }).number)
    return number > 2
  }, 'a final block')
  return number
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

/** Calls both, which must return the same result. */
async function checkAnswers({ name, jsonRpc }: Call, ...urls: [string, string]): Promise<void> {
  const [ours = '', engines = ''] = await Promise.all(urls.map((url) => post(url, jsonRpc.body)))
  if (ours.includes(failure)) throw new Error(`${name} returned no result: ${ours}`)
  if (!isDeepStrictEqual(JSON.parse(ours), JSON.parse(engines)))
    throw new Error(`${name} returned different results: ${ours} ${engines}`)
}

/** A different account in each request. */
const address = `0x${marker.padStart(40, '0')}`

/** A call in all the ways in which it can be made. */
type Call = { name: string; jsonRpc: Sent; trpc: Sent | null; grpc: Sent | null }

/**
 * The calls of a run: the number of the newest block and a final block, always the same one, which the gateway caches;
 * and reads of another account each time, which cannot be cached.
 */
function callsOf(facts: { oldBlock: string; token: string; fromBlock: string; toBlock: string }): Call[] {
  const { oldBlock, token, fromBlock, toBlock } = facts
  const balance = balanceCall(token)
  const filter = { fromBlock, toBlock, address: [token, address] }
  return [
    call('eth_blockNumber', 'chain.blockNumber', [], {}),
    call('eth_getBlockByNumber old, full, the same', 'chain.getBlockByNumber', [oldBlock, true], {
      block: oldBlock,
      fullTransactions: true,
    }),
    call('eth_getBalance', 'chain.getBalance', [address, 'latest'], { address, block: 'latest' }),
    balance,
    call('eth_getLogs', 'chain.getLogs', [filter], { filter }),
    batchOf(10, balance),
  ]
}

/** The token balance of an account that was never read before. */
export function balanceCall(token: string): Call {
  const transaction = { to: token, data: `0x70a08231${address.slice(2).padStart(64, '0')}` }
  return call('eth_call balanceOf', 'chain.call', [transaction, 'latest'], { transaction })
}

type Id = 'chain.blockNumber' | 'chain.getBlockByNumber' | 'chain.getBalance' | 'chain.call' | 'chain.getLogs'

function call(name: string, id: Id, params: unknown[], input: object): Call {
  const { path, encodeRequest } = grpcMethods[id]
  const [method = ''] = name.split(' ')
  return {
    name,
    jsonRpc: { path: '/', body: message(method, params) },
    trpc: { path: `/trpc/${id}`, body: JSON.stringify(input) },
    grpc: { path, body: Buffer.from(encodeRequest(input)).toString('latin1') },
  }
}

function batchOf(count: number, { name, jsonRpc: { body } }: Call): Call {
  const jsonRpc = { path: '/', body: `[${Array(count).fill(body).join(',')}]` }
  return { name: `batch of ${count} ${name}`, jsonRpc, trpc: null, grpc: null }
}

function message(method: string, params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}
