import { type Hex, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chain } from '../../src/contract/chain/chain.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { sharedWorld, type World } from '../world.ts'
import { readSpecification, type Specification } from './execution-apis.ts'

const folder = process.env.EXECUTION_APIS_DIR
const title = folder === undefined ? 'NOT RUN, set EXECUTION_APIS_DIR to a copy of ethereum/execution-apis: ' : ''
if (folder === undefined) console.warn('Conformance is NOT tested: EXECUTION_APIS_DIR is not set.')
const conforms = test.skipIf(folder === undefined)

const served = new Set(Object.values<Operation>(chain).flatMap(({ rpc }) => rpc?.method ?? []))

/**
 * Where results differ from the specification's schemas, and why: a rollup node returns more fields than an L1 node.
 */
const additions: Readonly<Record<string, string>> = {
  blockTimestamp: 'receipts have the time of their block, as transactions and logs do',
  l1Fee: 'what a transaction paid to the parent chain, as every node of the stack says',
  l1GasPrice: 'the same',
  l1BlobBaseFee: 'the same',
  l1BaseFeeScalar: 'the same',
  l1BlobBaseFeeScalar: 'the same',
}

/** Where codes differ: the error table of this service has a code for what is not found. */
const otherCodes: Readonly<Record<string, number>> = {
  'debug_traceBlockByNumber/trace-genesis.io': -32001,
  'debug_traceTransaction/trace-unknown-tx.io': -32001,
}

let world: World
let specification: Specification
const account = privateKeyToAccount(generatePrivateKey())
beforeAll(async () => {
  if (folder === undefined) return
  specification = readSpecification(folder)
  world = await sharedWorld()
})
afterAll(async () => await world?.[Symbol.asyncDispose]())

type Response = { result?: unknown; error?: { code: number; message: string } }

async function call(method: string, params: unknown[] = []): Promise<Response> {
  const response = await fetch(world.urls.rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as Response
}

/** The difference between a result and the specification; null where there is none. */
function fault(method: string, result: unknown): string | null {
  const validate = specification.validators.get(method)
  // An empty list of logs is also an empty list of hashes, so the schema accepts both alternatives.
  if (validate === undefined || (Array.isArray(result) && result.length === 0)) return null
  if (validate(ofLayerOne(method.includes('Receipt') ? withoutAdditions(result) : result))) return null
  const { instancePath, message, params } = validate.errors?.[0] ?? {}
  return `${method}: ${instancePath} ${message} ${JSON.stringify(params)}`
}

function withoutAdditions(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(withoutAdditions)
  if (typeof result !== 'object' || result === null) return result
  return Object.fromEntries(Object.entries(result).filter(([name]) => additions[name] === undefined))
}

/** Removes deposits, with which every block of a rollup begins: L1 has no transaction of that type. */
function ofLayerOne(result: unknown): unknown {
  if (Array.isArray(result)) return result.filter((item) => item?.type !== '0x7e')
  if (typeof result !== 'object' || result === null || !('transactions' in result)) return result
  return { ...result, transactions: ofLayerOne(result.transactions) }
}

async function send(more: object): Promise<Hex> {
  const nonce = Number((await call('eth_getTransactionCount', [account.address, 'pending'])).result)
  const fees = { gas: 100_000n, chainId: 84_532, nonce }
  const raw = await account.signTransaction({ ...fees, ...more } as Parameters<typeof account.signTransaction>[0])
  expect(await call('eth_sendRawTransaction', [raw])).toMatchObject({ result: keccak256(raw) })
  return keccak256(raw)
}

/** One transaction of each type, one that creates a contract, and one that calls it and writes a log. */
async function sendEveryKind(): Promise<Hex[]> {
  const url = new URL('/faucet/api/claim', world.urls.http)
  const body = JSON.stringify({ address: account.address })
  await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const balance = async () => BigInt(String((await call('eth_getBalance', [account.address, 'latest'])).result))
  await until(async () => (await balance()) > 0n, 'money')
  const price = { gasPrice: 10n ** 9n }
  const fees = { type: 'eip1559', maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
  const to = account.address
  return [
    await send({ type: 'legacy', ...price, to }),
    await send({ type: 'eip2930', ...price, to, accessList: [{ address: to, storageKeys: [`0x${'0'.repeat(64)}`] }] }),
    await send({ ...fees, to, value: 1n }),
    await send({ ...fees, data: '0x6006600c60003960066000f360006000a000' }),
  ]
}

conforms(`${title}results of every method match its schema`, async () => {
  const hashes = await sendEveryKind()
  const receiptOf = async (hash: Hex) => (await call('eth_getTransactionReceipt', [hash])).result as Receipt | null
  await until(async () => (await receiptOf(hashes[3]!)) !== null, 'the receipt')
  const { contractAddress, blockHash, blockNumber } = (await receiptOf(hashes[3]!)) as Receipt
  const fees = { type: 'eip1559', maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
  const logging = await send({ ...fees, to: contractAddress })
  await until(async () => (await receiptOf(logging)) !== null, 'the log')
  // It waits for an earlier nonce.
  const nonce = Number((await call('eth_getTransactionCount', [account.address, 'pending'])).result) + 5
  await send({ ...fees, to: contractAddress, nonce })
  const filterId = (await call('eth_newFilter', [{ address: contractAddress }])).result
  const message = { from: account.address, to: contractAddress }
  const requests: [string, unknown[]][] = [
    ...[...hashes, logging].flatMap((hash): [string, unknown[]][] => [
      ['eth_getTransactionByHash', [hash]],
      ['eth_getTransactionReceipt', [hash]],
      ['debug_traceTransaction', [hash]],
      ['debug_traceTransaction', [hash, { tracer: 'callTracer' }]],
    ]),
    ...['earliest', 'safe', 'finalized', 'latest', blockNumber].flatMap((block): [string, unknown[]][] => [
      ['eth_getBlockByNumber', [block, true]],
      ['eth_getBlockByNumber', [block, false]],
      ['eth_getBlockReceipts', [block]],
      ['eth_getBlockTransactionCountByNumber', [block]],
      ['eth_getUncleCountByBlockNumber', [block]],
    ]),
    ['eth_accounts', []],
    ['eth_blobBaseFee', []],
    ['eth_blockNumber', []],
    ['eth_call', [message, 'latest']],
    ['eth_chainId', []],
    ['eth_createAccessList', [message, 'latest']],
    ['eth_estimateGas', [message]],
    ['eth_feeHistory', ['0x5', 'latest', [10, 90]]],
    ['eth_feeHistory', ['0x5', 'latest']],
    ['eth_gasPrice', []],
    ['eth_getBalance', [account.address, blockNumber]],
    ['eth_getBlockByHash', [blockHash, true]],
    ['eth_getBlockTransactionCountByHash', [blockHash]],
    ['eth_getCode', [contractAddress, { blockHash }]],
    ['eth_getFilterChanges', [filterId]],
    ['eth_getFilterLogs', [filterId]],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest', address: contractAddress }]],
    ['eth_getProof', [contractAddress, ['0x0'], 'latest']],
    ['eth_getStorageAt', [contractAddress, '0x0', 'latest']],
    ['eth_getTransactionByBlockHashAndIndex', [blockHash, '0x1']],
    ['eth_getTransactionByBlockNumberAndIndex', [blockNumber, '0x1']],
    ['eth_getTransactionCount', [account.address, 'pending']],
    ['eth_getUncleCountByBlockHash', [blockHash]],
    ['eth_maxPriorityFeePerGas', []],
    ['eth_newBlockFilter', []],
    ['eth_newPendingTransactionFilter', []],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [message] }] }, 'latest']],
    ['eth_syncing', []],
    ['eth_uninstallFilter', [filterId]],
    ['debug_traceBlockByNumber', [blockNumber]],
    ['debug_traceBlockByHash', [blockHash]],
    ['net_version', []],
    ['txpool_content', []],
    ['txpool_contentFrom', [account.address]],
    ['txpool_status', []],
  ]
  const faults: string[] = []
  for (const [method, params] of requests) {
    const { result, error } = await call(method, params)
    if (error !== undefined) faults.push(`${method} ${JSON.stringify(params)}: ${error.code} ${error.message}`)
    else faults.push(...[fault(method, result)].filter((text) => text !== null))
  }
  const called = new Set(['eth_newFilter', 'eth_sendRawTransaction', ...requests.map(([method]) => method)])
  const untested = [...specification.validators.keys()].filter((method) => served.has(method) && !called.has(method))
  console.info(`execution-apis: ${requests.length - faults.length} of ${requests.length} live results match`)
  expect(faults).toEqual([])
  expect(untested).toEqual([])
})

type Receipt = { contractAddress: Hex; blockHash: Hex; blockNumber: Hex }

conforms(`${title}every recorded request is understood, and its failures have the recorded codes`, async () => {
  const faults: string[] = []
  const ours = specification.recorded.filter(({ request }) => served.has(request.method))
  for (const { file, request, answer } of ours) {
    const { result, error } = await call(request.method, request.params)
    const place = `${file}: ${error?.code} ${error?.message}`
    if (answer.error !== undefined) {
      // The reverting contract exists only on the recorded chain.
      const expected = otherCodes[file] ?? answer.error.code
      if (expected !== 3 && error?.code !== expected) faults.push(`${place}, expected ${expected}`)
    } else if (error !== undefined) {
      // The blocks of these numbers differ here, and some are too large to be traced step by step.
      if (misunderstood.has(error.code) && !error.message.includes('too many steps')) faults.push(place)
    } else if (result !== null) faults.push(...[fault(request.method, result)].filter((text) => text !== null))
  }
  console.info(`execution-apis: ${ours.length - faults.length} of ${ours.length} recorded requests are understood`)
  expect(faults).toEqual([])
})

/** Codes of requests that were not understood, and of internal failures. */
const misunderstood: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603, -32004])
