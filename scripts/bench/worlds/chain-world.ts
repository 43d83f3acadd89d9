import { isDeepStrictEqual } from 'node:util'
import { addresses } from '../../../src/sandbox/deploy/addresses.ts'
import { until } from '../../../src/sandbox/fixtures/testing.ts'
import { rpc } from '../../../test/clients/rpc-call.ts'
import { askEngine } from '../../../test/engine.ts'
import { startGateway } from '../../../test/gateway-process.ts'
import { startAnvil } from '../../../test/node/anvil.ts'
import type { ProcessUse } from '../../../test/process-use.ts'
import { failure, type Target } from '../load/connections.ts'
import type { Sent } from '../load/sent.ts'
import { wideRates } from '../wide-rates.ts'
import { type Call, callsOf } from './chain-calls.ts'

/** A protocol by which a node method is called. Not every method is available on every protocol. */
export type Way = { name: string; target: Target; requestOf(call: Call): Sent | null }

/** The first protocol is the baseline; `use` is the CPU time and memory of the gateway. */
export type BenchWorld = AsyncDisposable & { calls: Call[]; ways: Way[]; use: ProcessUse }

/**
 * Starts the gateway, and a copy of its engine that serves HTTP itself. No more blocks are mined, so that both chains
 * stay equal.
 */
export async function openBenchWorld(): Promise<BenchWorld> {
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
