import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256 } from 'viem'
import { generatePrivateKey, sign } from 'viem/accounts'
import { expect, test, vi } from 'vitest'
import { output } from '../clients/client.ts'
import { openClients } from '../clients/clients.ts'
import { rpc } from '../clients/rpc-call.ts'
import { startGateway } from '../gateway-process.ts'
import { fundedAccount } from '../world.ts'
import { figures } from './figures.ts'

vi.setConfig({ testTimeout: 240_000 })

const message = keccak256('0x00')
const { r, s, v } = await sign({ hash: message, privateKey: generatePrivateKey() })
const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, '0')
/** Stores a signature in memory. */
const stored = [message, v ?? 27n, r, s].map(
  (value, at) => `7f${word(value)}60${(32 * at).toString(16).padStart(2, '0')}52`,
)
const counted = `${stored.join('')}613a98`
const loop = (counted.length / 2).toString(16).padStart(4, '0')
/** Recovers the signer 15,000 times, which takes the engine about a second and 48 million gas. */
const slowCode = `0x${counted}5b60205f60805f60015afa50600190038061${loop}5700`
/** Hashes 32 kilobytes until it runs out of gas. */
const hashing = '0x5b6180005f20505f56'
const at = `0x${'c0de'.repeat(10)}`
const gas = '0x3938700'
const overrides = { [at]: { code: slowCode } }
const call = { to: at, gas }

/** The reads that held the chain up, by their names. */
const reads: Record<string, [method: string, ...params: unknown[]]> = {
  estimate: ['eth_estimateGas', call, 'latest', overrides],
  call: ['eth_call', call, 'latest', overrides],
  pending: ['eth_call', call, 'pending', overrides],
  accessList: ['eth_createAccessList', { data: slowCode, gas }, 'latest'],
  trace: ['debug_traceCall', { data: slowCode, gas }, 'latest', { tracer: 'callTracer' }],
  hashing: ['debug_traceCall', { data: hashing, gas }, 'latest', { tracer: 'callTracer' }],
  mined: ['debug_traceBlockByNumber', '0x2', { tracer: 'callTracer' }],
  simulate: [
    'eth_simulateV1',
    { blockStateCalls: [{ stateOverrides: overrides, calls: Array.from({ length: 10 }, () => call) }] },
    'latest',
  ],
}

const attackers = 10
const seconds = 40
const blockSeconds = 2

/** Sends a read from an address of its own, and hangs up after `hangUpMs` where that is given; the code of its answer. */
function send(url: string, agent: Agent, read: readonly unknown[], hangUpMs: number | null): Promise<string> {
  const [method, ...params] = read
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => (text += piece))
      response.on('end', () => resolve(/"code":(-?\d+)/.exec(text)?.[1] ?? 'result'))
      response.on('error', () => resolve('cut'))
    })
    sent.on('error', () => resolve('cut'))
    if (hangUpMs !== null) setTimeout(() => sent.destroy(), hangUpMs)
    sent.end(body)
  })
}

/** One attacker: two reads at once, each second one hung up. */
async function attack(url: string, index: number, until: number, answers: Map<string, number>): Promise<void> {
  const agent = new Agent({ keepAlive: false, localAddress: `127.0.0.${20 + index}` })
  const kinds = Object.values(reads)
  const loop = async (offset: number) => {
    for (let count = offset; performance.now() < until; count += 2) {
      const read = kinds[(index + count) % kinds.length] ?? []
      const answer = await send(url, agent, read, count % 4 < 2 ? 300 : null)
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      await sleep(50)
    }
  }
  await Promise.all([loop(0), loop(1)])
  agent.destroy()
}

const percentile = (values: number[], part: number) =>
  Math.round(values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) * part)] ?? 0)

test('the reads of strangers delay no block, no quote and no other read', async () => {
  await using gateway = await startGateway(null, { RPC_EVM_TIMEOUT_SECONDS: '5' })
  const { rpc: url } = gateway.urls
  using clients = openClients(gateway.urls)
  const ada = await fundedAccount(clients.rest)
  const headOf = async () => (await rpc(url, 'eth_getBlockByNumber', 'latest', false)).result as Record<string, string>
  const numberOf = async () => Number((await headOf()).number)
  const memoryBefore = gateway.memoryMb()
  const first = await numberOf()
  const until = performance.now() + seconds * 1_000
  const answers = new Map<string, number>()
  const [ages, others, quotes]: number[][] = [[], [], []]
  const watch = async () => {
    while (performance.now() < until) {
      const begun = performance.now()
      await rpc(url, 'eth_blockNumber')
      others?.push(performance.now() - begun)
      ages?.push(Date.now() / 1_000 - Number((await headOf()).timestamp))
      await sleep(200)
    }
  }
  const quote = async () => {
    while (performance.now() < until) {
      const begun = performance.now()
      await output(clients.rest.call('trading.quote', { input: ada.swap('WETH', 'USDC', '0.1') }, ada.token))
      quotes?.push(performance.now() - begun)
      await sleep(1_000)
    }
  }
  const floods = Array.from({ length: attackers }, (_, index) => attack(url, index, until, answers))
  await Promise.all([watch(), quote(), ...floods])
  const made = (await numberOf()) - first
  figures(`${attackers} addresses, ${seconds} s of expensive reads`, {
    blocks: `${made} of ${seconds / blockSeconds}`,
    oldestHead: Math.round(Math.max(...(ages ?? []))),
    blockNumberMs: [percentile(others ?? [], 0.5), percentile(others ?? [], 0.99)],
    quoteMs: [percentile(quotes ?? [], 0.5), percentile(quotes ?? [], 0.99)],
    memoryMb: [memoryBefore, gateway.memoryMb()],
    answers: [...answers].map(([code, count]) => `${code}:${count}`),
  })
  expect(made).toBeGreaterThanOrEqual(Math.floor((seconds / blockSeconds) * 0.95))
  expect(Math.max(...(ages ?? []))).toBeLessThan(3 * blockSeconds)
  expect(quotes?.length).toBeGreaterThan(10)
})
