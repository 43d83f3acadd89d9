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
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { type Client, output } from '../clients/client.ts'
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
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
  return (await response.json()) as Reply
}

/** Asks over gRPC by the generated messages, which know how a block's transactions are said there. */
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

/** An answer without its empty lists, which protobuf cannot tell from absent ones. */
function told(answer: unknown): unknown {
  const text = JSON.stringify(answer, (_key, value) => (Array.isArray(value) && value.length === 0 ? undefined : value))
  return JSON.parse(text)
}

/** An account of one's own, with money from the faucet. */
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
  expect(hash).toBeNull() // the router takes no money without a call: the estimate reverts
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

test('a transaction is sent and waited for in one call, and one that waits too long says its hash', async () => {
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
  await expect.poll(() => heads.length, { timeout: 30_000 }).toBeGreaterThan(0)
  const hash = await wallet.sendTransaction({ to: account.address, value: 1n })
  await expect.poll(() => pending, { timeout: 30_000 }).toContain(hash)
  await viem().waitForTransactionReceipt({ hash })
  await expect.poll(() => heads.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(2)
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
  for (const [id, input] of Object.entries(inputs)) {
    const operation = operations().find(([name]) => name === id)?.[1]
    const direct = operation?.output.parse((await rpc(operation.rpc?.method ?? '', input)).result)
    expect([id, await over(trpc, id, input)]).toEqual([id, direct])
    expect([id, told(operation?.output.parse(await overGrpc(id, input)))]).toEqual([id, told(direct)])
  }
})

test('the heads lag by degree of safety, and the tags name them', async () => {
  const status = (await rpc('rollup_syncStatus')).result
  const number = async (tag: string) => Number((await rpc('eth_getBlockByNumber', [tag, false])).result.number)
  expect(status.unsafe_l2.number).toBeGreaterThan(status.safe_l2.number)
  expect(status.safe_l2.number).toBeGreaterThanOrEqual(status.finalized_l2.number)
  expect(await number('safe')).toBeGreaterThanOrEqual(status.safe_l2.number)
  expect(await number('latest')).toBeGreaterThan(await number('safe'))
  const byAlias = (await rpc('optimism_syncStatus')).result
  expect(Object.keys(byAlias)).toEqual(Object.keys(status))
})

test('what a call shall assume is checked, and is assumed under the older names too', async () => {
  const [to, word] = [`0x${'6'.repeat(40)}`, (value: string) => `0x${value.padStart(64, '0')}`]
  const answering = (opcode: string) => ({ [to]: { code: `0x${opcode}5f5260205ff3` } })
  const called = async (state: object, assumed: object) => {
    const { result, error } = await rpc('eth_call', [{ to }, 'latest', state, assumed])
    const blocks = [{ stateOverrides: state, blockOverrides: assumed, calls: [{ to }] }]
    const options = { tracer: 'callTracer', stateOverrides: state, blockOverrides: assumed }
    const [simulated, traced] = await Promise.all([
      rpc('eth_simulateV1', [{ blockStateCalls: blocks }, 'latest']),
      rpc('debug_traceCall', [{ to }, 'latest', options]),
    ])
    for (const other of [simulated, traced]) expect(other.error?.code).toBe(error?.code)
    if (error !== undefined) return error.message
    expect([simulated.result[0].calls[0].returnData, traced.result.output]).toEqual([result, result])
    return result
  }
  for (const [opcode, names, value] of [
    ['41', ['coinbase', 'feeRecipient'], `0x${'c'.repeat(40)}`],
    ['44', ['random', 'prevRandao'], '0xab'],
  ] as const)
    for (const name of names) expect(await called(answering(opcode), { [name]: value })).toBe(word(value.slice(2)))
  for (const assumed of [{ baseFee: '0x55' }, { baseFeePerGas: '0x55' }])
    expect((await rpc('eth_call', [{ to }, 'latest', answering('48'), assumed])).result).toBe(word('55'))
  for (const [state, assumed, path] of [
    [{}, { baseFe: '0x1' }, 'blockOverrides.baseFe'],
    [{}, { coinbase: to, feeRecipient: to }, 'blockOverrides.coinbase'],
    [{}, { time: `0x1${'0'.repeat(16)}` }, 'blockOverrides.time'],
    [{ [to]: { balanse: '0x1' } }, {}, `stateOverrides.${to}.balanse`],
    [{ [to]: { nonce: '0x01' } }, {}, `stateOverrides.${to}.nonce`],
    [{ [to]: { state: { '0x1': word('1') } } }, {}, `stateOverrides.${to}.state.0x1`],
    [{ [to]: { state: {}, stateDiff: {} } }, {}, `stateOverrides.${to}.stateDiff`],
    [{ nobody: {} }, {}, 'stateOverrides.nobody'],
  ] as const)
    expect(await called(state, assumed)).toMatch(new RegExp(`^${path}: `))
})

test('a call that says two things at once, or is for another chain, is refused by its field', async () => {
  const to = `0x${'6'.repeat(40)}`
  const asked = (call: object): [string, unknown[], string][] => [
    ['eth_call', [call, 'latest'], 'transaction'],
    ['eth_estimateGas', [call], 'transaction'],
    ['eth_createAccessList', [call, 'latest'], 'transaction'],
    ['debug_traceCall', [call, 'latest', { tracer: 'callTracer' }], 'transaction'],
    ['eth_simulateV1', [{ blockStateCalls: [{}, { calls: [call] }] }], 'simulation.blockStateCalls.1.calls.0'],
  ]
  for (const [wrong, field] of [
    [{ data: '0x01', input: '0x02' }, 'data'],
    [{ gasPrice: '0x1', maxFeePerGas: '0x1' }, 'gasPrice'],
    [{ gasPrice: '0x1', maxPriorityFeePerGas: '0x0' }, 'gasPrice'],
    [{ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }, 'maxPriorityFeePerGas'],
    [{ chainId: '0x1' }, 'chainId'],
  ] as const)
    for (const [method, params, at] of asked({ to, ...wrong }))
      expect([method, (await rpc(method, params)).error]).toMatchObject([
        method,
        { code: -32602, message: expect.stringMatching(new RegExp(`^${at}.${field}: `)) },
      ])
  const { error } = await rpc('debug_traceCall', [{ to }, 'latest', { tracer: 'muxTracer' }])
  const served = 'options.tracer: must be one of callTracer, prestateTracer, 4byteTracer, noopTracer'
  expect(error).toMatchObject({ code: -32602, message: served })
  for (const [method, params] of asked({ to, data: '0xAB', input: '0xab', chainId: '0x14a34' }))
    expect([method, (await rpc(method, params)).error]).toEqual([method, undefined])
})

test('what is looked up and is not there is null, and an error where null cannot be said', async () => {
  const hash = `0x${'7'.repeat(64)}`
  for (const [method, params] of [
    ['eth_getTransactionByHash', [hash]],
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getBlockByHash', [hash, false]],
    ['eth_getBlockReceipts', [hash]],
    ['eth_getBlockReceipts', ['0xffffff']],
    ['eth_getBlockTransactionCountByHash', [hash]],
    ['eth_getBlockTransactionCountByNumber', ['0xffffff']],
    ['eth_getUncleCountByBlockHash', [hash]],
    ['eth_getUncleCountByBlockNumber', ['0xffffff']],
  ] as const)
    expect([method, await rpc(method, params)]).toEqual([method, expect.objectContaining({ result: null })])
  for (const client of [world.clients.trpc, world.clients.grpc])
    expect(await client.call('chain.getBlockReceipts', { block: hash })).toMatchObject({ code: 'NOT_FOUND' })
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

test('the operator stops and starts the blocks; nobody else does, and what waits is not lost', async () => {
  const { wallet, account } = await funded()
  expect((await rpc('admin_stopSequencer')).result).toBe(true)
  const before = (await rpc('eth_blockNumber')).result
  const hash = await wallet.sendTransaction({ to: account.address, value: 1n })
  await new Promise((resolve) => setTimeout(resolve, 2_500))
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

test('each chain describes itself, at the address where it is', async () => {
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
