import { type Hex, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { chain } from '../../src/contract/chain/chain.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { rpc } from '../clients/rpc-call.ts'
import type { Specification } from './execution-apis.ts'

/** The JSON-RPC methods of the contract. */
export const served: ReadonlySet<string> = new Set(
  Object.values<Operation>(chain).flatMap(({ rpc }) => rpc?.method ?? []),
)

/** A chain that the cases run on. */
export type CaseChain = {
  /** The gateway's address of JSON-RPC. */
  url: string
  chainId: number
  /** Starts a payment to an account. */
  pay(address: Hex): Promise<unknown>
}

/** What the cases sent: an account and its transactions in blocks, one of which creates a contract and one logs. */
export type Sent = {
  account: Hex
  hashes: Hex[]
  /** The receipt of the creation. */
  creation: Receipt
  /** Signs and sends a transaction of the account at its next nonce, or at that of `more`. */
  send(more: object): Promise<Hex>
  /** The receipt of a transaction, once it has one. */
  receipt(hash: Hex): Promise<Receipt>
}

type Receipt = { contractAddress: Hex; blockHash: Hex; blockNumber: Hex; transactionIndex: Hex }

/** A method with its parameters. */
export type Asked = [method: string, params: unknown[]]

/** The fees of its transactions: nodes mine none with a lower tip. */
export const caseFees = { type: 'eip1559', maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1_000_000n } as const

/** Sends one transaction of each type, one that creates a contract, one that calls it and writes a log, and one that waits. */
export async function sendCases({ url, chainId, pay }: CaseChain): Promise<Sent> {
  const account = privateKeyToAccount(generatePrivateKey())
  const ask = async (method: string, ...params: unknown[]) => (await rpc(url, method, ...params)).result
  const nextNonce = async () => Number(await ask('eth_getTransactionCount', account.address, 'pending'))
  async function send(more: object): Promise<Hex> {
    const fees = { gas: 100_000n, chainId, nonce: await nextNonce() }
    const raw = await account.signTransaction({ ...fees, ...more } as Parameters<typeof account.signTransaction>[0])
    expect(await rpc(url, 'eth_sendRawTransaction', raw)).toMatchObject({ result: keccak256(raw) })
    return keccak256(raw)
  }
  async function receipt(hash: Hex): Promise<Receipt> {
    const read = async () => (await ask('eth_getTransactionReceipt', hash)) as Receipt | null
    await until(async () => (await read()) !== null, `receipt of ${hash}`)
    return (await read()) as Receipt
  }
  await pay(account.address)
  await until(async () => BigInt(await ask('eth_getBalance', account.address, 'latest')) > 0n, 'money')
  const [to, price] = [account.address, { gasPrice: 10n ** 9n }]
  const accessList = [{ address: to, storageKeys: [`0x${'0'.repeat(64)}`] }]
  const hashes = [
    await send({ type: 'legacy', ...price, to }),
    await send({ type: 'eip2930', ...price, to, accessList }),
    await send({ ...caseFees, to, value: 1n }),
    await send({ ...caseFees, data: '0x6006600c60003960066000f360006000a000' }),
  ]
  const creation = await receipt(hashes[3]!)
  hashes.push(await send({ ...caseFees, to: creation.contractAddress }))
  await receipt(hashes[4]!)
  // It waits for an earlier nonce.
  await send({ ...caseFees, to: creation.contractAddress, nonce: (await nextNonce()) + 5 })
  return { account: account.address, hashes, creation, send, receipt }
}

/** The requests about what was sent that have a result. */
export function liveRequests({ account, hashes, creation }: Sent): Asked[] {
  const { contractAddress, blockHash, blockNumber, transactionIndex } = creation
  const message = { from: account, to: contractAddress }
  return [
    ...hashes.flatMap((hash): Asked[] => [
      ['eth_getTransactionByHash', [hash]],
      ['eth_getTransactionReceipt', [hash]],
      ['debug_traceTransaction', [hash]],
      ['debug_traceTransaction', [hash, { tracer: 'callTracer' }]],
    ]),
    ...['earliest', 'safe', 'finalized', 'latest', blockNumber].flatMap((block): Asked[] => [
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
    ['eth_getBalance', [account, blockNumber]],
    ['eth_getBlockByHash', [blockHash, true]],
    ['eth_getBlockTransactionCountByHash', [blockHash]],
    ['eth_getCode', [contractAddress, { blockHash }]],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest', address: contractAddress }]],
    ['eth_getProof', [contractAddress, ['0x0'], 'latest']],
    ['eth_getStorageAt', [contractAddress, '0x0', 'latest']],
    ['eth_getTransactionByBlockHashAndIndex', [blockHash, transactionIndex]],
    ['eth_getTransactionByBlockNumberAndIndex', [blockNumber, transactionIndex]],
    ['eth_getTransactionCount', [account, 'pending']],
    ['eth_getUncleCountByBlockHash', [blockHash]],
    ['eth_maxPriorityFeePerGas', []],
    ['eth_newBlockFilter', []],
    ['eth_newPendingTransactionFilter', []],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [message] }] }, 'latest']],
    ['eth_syncing', []],
    ['debug_traceBlockByNumber', [blockNumber]],
    ['debug_traceBlockByHash', [blockHash]],
    ['net_version', []],
    ['txpool_content', []],
    ['txpool_contentFrom', [account]],
    ['txpool_status', []],
  ]
}

/** What the cases of a chain found: how many there were, the failures, and methods with a schema that none called. */
export type Outcome = { asked: number; faults: string[]; untested: string[] }

/** Judges results about what was sent by the schemas. */
export async function liveFaults(url: string, { validators }: Specification, sent: Sent): Promise<Outcome> {
  const filterId = (await rpc(url, 'eth_newFilter', { address: sent.creation.contractAddress })).result
  const requests: Asked[] = [
    ...liveRequests(sent),
    ['eth_getFilterChanges', [filterId]],
    ['eth_getFilterLogs', [filterId]],
    ['eth_uninstallFilter', [filterId]],
  ]
  const faults: string[] = []
  for (const [method, params] of requests) {
    const { result, error } = await rpc(url, method, ...params)
    if (error !== undefined) faults.push(`${method} ${JSON.stringify(params)}: ${error.code} ${error.message}`)
    else faults.push(...faultsOf(validators, method, result))
  }
  const called = new Set(['eth_newFilter', 'eth_sendRawTransaction', ...requests.map(([method]) => method)])
  const untested = [...validators.keys()].filter((method) => served.has(method) && !called.has(method))
  return { asked: requests.length, faults, untested }
}

/** Where codes differ: the error table of this service has a code for what is not found. */
const otherCodes: Readonly<Record<string, number>> = {
  'debug_traceBlockByNumber/trace-genesis.io': -32001,
  'debug_traceTransaction/trace-unknown-tx.io': -32001,
}

/** Codes of requests that were not understood, and of internal failures. */
const misunderstood: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603, -32004])

/** Judges whether every recorded request is understood, and its failures have the recorded codes. */
export async function recordedFaults(
  url: string,
  { validators, recorded }: Specification,
): Promise<Omit<Outcome, 'untested'>> {
  const faults: string[] = []
  const ours = recorded.filter(({ request }) => served.has(request.method))
  for (const { file, request, answer } of ours) {
    const { result, error } = await rpc(url, request.method, ...(request.params ?? []))
    const place = `${file}: ${error?.code} ${error?.message}`
    if (answer.error !== undefined) {
      // The reverting contract exists only on the recorded chain.
      const expected = otherCodes[file] ?? answer.error.code
      if (expected !== 3 && error?.code !== expected) faults.push(`${place}, expected ${expected}`)
    } else if (error !== undefined) {
      // The blocks of these numbers differ here, and some are too large to be traced step by step.
      if (misunderstood.has(error.code) && !error.message.includes('too many steps')) faults.push(place)
    } else if (result !== null) faults.push(...faultsOf(validators, request.method, result))
  }
  return { asked: ours.length, faults }
}

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

/** The difference between a result and the specification; none where it matches. */
function faultsOf(validators: Specification['validators'], method: string, result: unknown): string[] {
  const validate = validators.get(method)
  // An empty list of logs is also an empty list of hashes, so the schema accepts both alternatives.
  if (validate === undefined || (Array.isArray(result) && result.length === 0)) return []
  if (validate(ofLayerOne(method.includes('Receipt') ? withoutAdditions(result) : result))) return []
  const { instancePath, message, params } = validate.errors?.[0] ?? {}
  return [`${method}: ${instancePath} ${message} ${JSON.stringify(params)}`]
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
