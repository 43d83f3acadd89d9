import { Client as Channel, credentials } from '@grpc/grpc-js'
import {
  type Chain,
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  keccak256,
  parseEther,
  webSocket,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { type OperationId, operations } from '../../src/contract/index.ts'
import { isRecord } from '../../src/kit/values.ts'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { type Client, output } from '../clients/client.ts'
import { asOperator } from '../operator-token.ts'
import { newAccount, openWorld, type World } from '../world.ts'

let world: World
let chain: Chain
beforeAll(async () => {
  world = await openWorld()
  const currency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  chain = defineChain({
    id: 84_532,
    name: 'rollup',
    nativeCurrency: currency,
    rpcUrls: { default: { http: [world.urls.rpc] } },
  })
})
afterAll(async () => await world[Symbol.asyncDispose]())

const viem = () => createPublicClient({ chain, transport: http(), pollingInterval: 200 })

// biome-ignore lint/suspicious/noExplicitAny: answers of every method pass through here
type Reply = { id: number; result?: any; error?: { code: number; message: string; data?: unknown } }

async function rpc(method: string, params: unknown = [], url = world.urls.rpc) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(method.startsWith('admin_') ? asOperator : {}) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
  return (await response.json()) as Reply
}

/** Calls over gRPC by the generated messages, with their form of a block's transactions. */
async function overGrpc(id: string, input: object): Promise<unknown> {
  const { path, encodeRequest, decodeResponse } = grpcMethods[id as OperationId]
  const channel = new Channel(world.urls.grpc, credentials.createInsecure())
  const same = (bytes: Buffer) => bytes
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  channel.makeUnaryRequest(path, same, same, encodeRequest(input), (error, bytes) =>
    error === null && bytes !== undefined ? resolve(decodeResponse(bytes)) : reject(error),
  )
  return await promise.finally(() => channel.close())
}

/** A result without its empty lists, which protobuf cannot distinguish from absent ones. */
function received(answer: unknown): unknown {
  const text = JSON.stringify(answer, (_key, value) => (Array.isArray(value) && value.length === 0 ? undefined : value))
  return JSON.parse(text)
}

/** A new account with funds from the faucet. */
async function funded() {
  const account = privateKeyToAccount(generatePrivateKey())
  const { txHash } = await output(world.clients.rest.call('chain.claimFaucet', { address: account.address }))
  await viem().waitForTransactionReceipt({ hash: txHash })
  return { account, wallet: createWalletClient({ account, chain, transport: http() }) }
}

test('viem reads, sends and waits through the gateway', async () => {
  const client = viem()
  expect(await client.getChainId()).toBe(84_532)
  const { account, wallet } = await funded()
  expect(await client.getBalance({ address: account.address })).toBe(parseEther('10'))
  const hash = await wallet.sendTransaction({ to: addresses.v2Router, value: 0n, data: '0x' }).catch(() => null)
  expect(hash).toBeNull() // the router accepts no ether without a call: the estimate reverts
  const sent = await wallet.sendTransaction({ to: account.address, value: 5n })
  const receipt = await client.waitForTransactionReceipt({ hash: sent })
  expect(receipt).toMatchObject({ status: 'success', type: 'eip1559', gasUsed: 21_000n })
  expect(await client.getTransaction({ hash: sent })).toMatchObject({ value: 5n, blockHash: receipt.blockHash })
  const block = await client.getBlock({ blockHash: receipt.blockHash, includeTransactions: true })
  expect(block.transactions.map(({ hash }) => hash)).toContain(sent)
  expect(await client.getTransactionCount({ address: account.address })).toBe(1)
  expect(await client.getCode({ address: addresses.v2Router })).toMatch(/^0x60/)
  expect((await client.getLogs({ fromBlock: 0n, toBlock: 'latest' })).length).toBeGreaterThan(10)
  expect((await client.getFeeHistory({ blockCount: 2, rewardPercentiles: [50] })).baseFeePerGas).toHaveLength(3)
  expect((await client.getProof({ address: account.address, storageKeys: [] })).nonce).toBe(1)
})

test('a transaction is sent and waited for in one call, and a timeout returns its hash', async () => {
  const { account, wallet } = await funded()
  const signed = async (nonce: number) =>
    await wallet.signTransaction(
      await wallet.prepareTransactionRequest({ to: account.address, value: 1n, nonce, gas: 21_000n }),
    )
  const [first, second] = await Promise.all([signed(0), signed(1)])
  const hash = keccak256(second)
  const early = await rpc('eth_sendRawTransactionSync', [second, 20])
  expect(early.error).toMatchObject({ code: 4, message: expect.stringContaining(hash), data: hash })
  expect(await wallet.sendRawTransactionSync({ serializedTransaction: first })).toMatchObject({ status: 'success' })
  const receipt = (await rpc('eth_sendRawTransactionSync', [second])).result
  expect(receipt).toEqual((await rpc('eth_getTransactionReceipt', [hash])).result)
  expect((await rpc('eth_sendRawTransactionSync', [first])).result).toMatchObject({ status: '0x1' }) // in a block already
  expect((await rpc('eth_sendRawTransactionSync', ['0x7e00'])).error?.code).toBe(-32003)
})

test('heads, logs and waiting transactions arrive over WebSocket, and filters over HTTP', async () => {
  const { account, wallet } = await funded()
  const socket = createPublicClient({ chain, transport: webSocket(world.urls.rpc.replace('http', 'ws')) })
  const heads: bigint[] = []
  const pending: string[] = []
  const stops = [
    socket.watchBlocks({ onBlock: ({ number }) => heads.push(number ?? -1n), onError: () => undefined }),
    socket.watchPendingTransactions({ onTransactions: (hashes) => pending.push(...hashes), onError: () => undefined }),
  ]
  const filter = await viem().createBlockFilter()
  await expect.poll(() => heads.length, { timeout: 120_000 }).toBeGreaterThan(0)
  const hash = await wallet.sendTransaction({ to: account.address, value: 1n })
  await expect.poll(() => pending, { timeout: 120_000 }).toContain(hash)
  await viem().waitForTransactionReceipt({ hash })
  await expect.poll(() => heads.length, { timeout: 120_000 }).toBeGreaterThanOrEqual(2)
  expect(heads).toEqual(heads.map((_, index) => (heads[0] ?? 0n) + BigInt(index)))
  const hashes = await viem().getFilterChanges({ filter })
  expect(hashes.length).toBeGreaterThanOrEqual(2)
  expect(await viem().uninstallFilter({ filter })).toBe(true)
  for (const stop of stops) stop()
  const transport = await socket.transport.getRpcClient()
  transport.close()
})

test('every method that reads answers alike over JSON-RPC, tRPC and gRPC', async () => {
  const { rest, trpc } = world.clients
  const { token, trade } = await newAccount(rest)
  const { tx_hash: hash } = await output(rest.call('trading.execute', trade('WETH', 'USDC', '0.1', 'node'), token))
  const receipt = (await rpc('eth_getTransactionReceipt', [hash])).result
  const at = { block: receipt.blockNumber }
  const inputs: Record<string, object> = {
    'chain.getBlockByNumber': { ...at, fullTransactions: true },
    'chain.getBlockByHash': { hash: receipt.blockHash },
    'chain.getBlockTransactionCountByNumber': at,
    'chain.getBlockReceipts': at,
    'chain.getTransactionByHash': { hash },
    'chain.getTransactionReceipt': { hash },
    'chain.getLogs': { filter: { blockHash: receipt.blockHash } },
    'chain.getBalance': { address: receipt.from, ...at },
    'chain.debugTraceTransaction': { hash, options: { tracer: 'callTracer' } },
    'chain.rollupRollupConfig': {},
    'chain.rollupOutputAtBlock': at,
    'chain.chainId': {},
  }
  const over = async (client: Client, id: string, input: object) =>
    await output(client.call(id as 'chain.chainId', input))
  // The answer about an output has the state of the chains too, which goes on.
  const still = (answer: unknown) =>
    isRecord(answer) && 'syncStatus' in answer ? { ...answer, syncStatus: null } : answer
  for (const [id, input] of Object.entries(inputs)) {
    const operation = operations().find(([name]) => name === id)?.[1]
    const direct = operation?.output.parse((await rpc(operation.rpc?.method ?? '', input)).result)
    expect([id, still(await over(trpc, id, input))]).toEqual([id, still(direct)])
    const overIt = operation?.output.parse(await overGrpc(id, input))
    expect([id, received(still(overIt))]).toEqual([id, received(still(direct))])
  }
})

test('the latest, safe and finalized heads follow each other, and the tags name them', async () => {
  const status = (await rpc('rollup_syncStatus')).result
  const number = async (tag: string) => Number((await rpc('eth_getBlockByNumber', [tag, false])).result.number)
  expect(status.unsafe_l2.number).toBeGreaterThan(status.safe_l2.number)
  expect(status.safe_l2.number).toBeGreaterThanOrEqual(status.finalized_l2.number)
  expect(await number('safe')).toBeGreaterThanOrEqual(status.safe_l2.number)
  expect(await number('latest')).toBeGreaterThan(await number('safe'))
  const byAlias = (await rpc('optimism_syncStatus')).result
  expect(Object.keys(byAlias)).toEqual(Object.keys(status))
})

test('errors have the codes of the specification', async () => {
  const nowhere = `0x${'9'.repeat(40)}`
  const codes = async (...asked: [string, unknown][]) =>
    await Promise.all(asked.map(async ([method, params]) => (await rpc(method, params)).error?.code))
  expect(
    await codes(
      ['eth_nothing', []],
      ['eth_getBalance', [nowhere, 'newest']],
      ['eth_getBalance', ['0x1', 'latest']],
      ['eth_getBalance', [nowhere, '0xffffff']],
      ['eth_call', [{ to: addresses.v2Router, data: '0x38ed1739' }, 'latest']],
      ['eth_getFilterChanges', ['0x123456']],
      ['eth_sendRawTransaction', ['0x7e00']],
      ['eth_getLogs', [{ fromBlock: '0x5', toBlock: '0x1' }]],
      ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x2710' }]],
      ['debug_traceTransaction', [`0x${'7'.repeat(64)}`, { tracer: 'callTracer' }]],
    ),
  ).toEqual([-32601, -32602, -32602, -32001, 3, -32000, -32003, -32602, -32005, -32001])
  const { number, hash } = (await rpc('eth_getBlockByNumber', ['latest', false])).result
  for (const block of [number, hash, { blockHash: hash }, { blockNumber: number, requireCanonical: true }])
    expect((await rpc('eth_getBalance', [nowhere, block])).result).toBe('0x0')
  expect((await rpc('eth_getBalance', [nowhere, { blockHash: hash, blockNumber: number }])).error?.code).toBe(-32602)
})

test('only the operator stops and starts block production, and pending transactions are not lost', async () => {
  const { wallet, account } = await funded()
  expect((await rpc('admin_stopSequencer')).result).toBe(true)
  const before = (await rpc('eth_blockNumber')).result
  const hash = await wallet.sendTransaction({ to: account.address, value: 1n })
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect((await rpc('eth_blockNumber')).result).toBe(before)
  const { hash: newest, parentHash } = (await rpc('eth_getBlockByNumber', ['latest', false])).result
  expect((await rpc('admin_startSequencer', [parentHash])).error).toMatchObject({
    code: -32000,
    message: expect.stringContaining(newest),
  })
  expect((await rpc('eth_blockNumber')).result).toBe(before)
  expect((await rpc('admin_startSequencer', [newest])).result).toBe(true)
  expect((await viem().waitForTransactionReceipt({ hash })).status).toBe('success')
})

test('each chain describes itself, at its own address', async () => {
  const described = async (url: string) => (await rpc('rpc.discover', [], url)).result
  const { rpc: own, l1 = '' } = world.urls
  const document = await described(own)
  expect(document.servers).toMatchObject([{ url: own }])
  expect(await (await fetch(`${world.urls.http}/openrpc.json`)).json()).toEqual(document)
  const parent = await described(l1)
  expect(parent).toMatchObject({ servers: [{ url: l1 }], info: { title: expect.stringContaining('parent chain') } })
  const names = ({ methods }: { methods: { name: string }[] }) => methods.map(({ name }) => name)
  expect(names(document)).toEqual(expect.arrayContaining(['eth_unsubscribe', 'rpc.discover', 'rollup_syncStatus']))
  const missing = names(document).filter((name) => !names(parent).includes(name))
  expect(missing.length).toBeGreaterThan(5)
  for (const name of missing) {
    const params = name.endsWith('outputAtBlock') ? ['latest'] : []
    expect([name, (await rpc(name, params, l1)).error?.code]).toEqual([name, -32004])
  }
  expect(JSON.stringify(parent.info)).not.toContain('of the rollup')
})

test('the parent chain answers the same methods', async () => {
  expect((await rpc('eth_chainId', [], world.urls.l1)).result).toMatch(/^0x/)
  expect(Number((await rpc('eth_blockNumber', [], world.urls.l1)).result)).toBeGreaterThan(0)
  expect((await rpc('rollup_syncStatus', [], world.urls.l1)).error?.code).toBe(-32004)
})
