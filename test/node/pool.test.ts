import { setTimeout as sleep } from 'node:timers/promises'
import { getAddress, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chain } from '../../src/contract/chain/chain.ts'
import type { OperationId } from '../../src/contract/index.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { output } from '../clients/client.ts'
import { rpc } from '../clients/rpc-call.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { openWorld, type World } from '../world.ts'
import { type Anvil, anvilChainId, startAnvil } from './anvil.ts'

const opened = new AsyncDisposableStack()
let embedded: World
let open: World
let anvil: Anvil
beforeAll(async () => {
  embedded = opened.use(await openWorld())
  anvil = opened.use(await startAnvil())
  await anvil.mine(3)
  open = opened.use(await openWorld({ CHAIN_ID: String(anvilChainId), CHAIN_RPC_URL: anvil.url }))
})
afterAll(() => opened.disposeAsync())

type Method = Extract<(typeof chain)[keyof typeof chain], { kind: 'unary'; rpc: object }>['rpc']['method']
// biome-ignore lint/suspicious/noExplicitAny: answers of every method pass through here
type Any = any

const keyOf = (method: Method) =>
  Object.entries(chain).find(([, one]) => 'rpc' in one && one.rpc.method === method)?.[0] as keyof typeof chain

/** One answer over JSON-RPC, by HTTP and WebSocket, and over tRPC and gRPC. */
async function everywhere(world: World, method: Method, input: Record<string, unknown> = {}): Promise<Any> {
  const { urls, clients } = world
  const { output: schema } = chain[keyOf(method)]
  const id = `chain.${keyOf(method)}` as OperationId
  const params = Object.values(input)
  const { result, error } = await rpc(urls.rpc, method, ...params)
  expect(error).toBeUndefined()
  const socket = await openRpcSocket(urls.rpc)
  expect((await socket.ask(method, params)).result).toEqual(result)
  socket.socket.close()
  const promised = schema.parse(result)
  if (world === embedded) expect(result).toEqual(promised)
  for (const client of [clients.trpc, clients.grpc]) expect(await output(client.call(id, input))).toEqual(promised)
  return result
}

/** Stops the making of blocks, once the last one is there. */
async function stopBlocks(): Promise<void> {
  await rpc(embedded.urls.rpc, 'admin_stopSequencer')
  const newest = async () => (await rpc(embedded.urls.rpc, 'eth_blockNumber')).result
  for (let before = ''; before !== (await newest()); await sleep(500)) before = await newest()
}

/** An account of the embedded chain with money, while no block is made. */
async function paidAccount() {
  const account = privateKeyToAccount(generatePrivateKey())
  const claimed = await output(embedded.clients.rest.call('chain.claimFaucet', { address: account.address }))
  expect(claimed).toMatchObject({ success: true })
  await until(
    async () => (await rpc(embedded.urls.rpc, 'eth_getBalance', account.address, 'latest')).result !== '0x0',
    'money',
  )
  await stopBlocks()
  return account
}

test('every protocol shows the same pool: what waits, what replaced it, and what waits for an earlier nonce', async () => {
  const account = await paidAccount()
  const send = async (nonce: number, maxFeePerGas: bigint): Promise<Hex> => {
    const fees = { type: 'eip1559', chainId: 84_532, gas: 21_000n, maxPriorityFeePerGas: maxFeePerGas } as const
    const raw = await account.signTransaction({ ...fees, nonce, maxFeePerGas, to: account.address, value: 1n })
    return (await rpc(embedded.urls.rpc, 'eth_sendRawTransaction', raw)).result
  }
  const replaced = await send(0, 10n ** 9n)
  const [replacing, queued] = [await send(0, 2n * 10n ** 9n), await send(7, 10n ** 9n)]
  const content = await everywhere(embedded, 'txpool_content')
  const own = getAddress(account.address)
  expect(content.pending[own]).toEqual({
    '0': expect.objectContaining({ hash: replacing, blockNumber: null, gasPrice: '0x77359400', nonce: '0x0' }),
  })
  expect(content.queued[own]).toEqual({ '7': expect.objectContaining({ hash: queued, nonce: '0x7' }) })
  expect(JSON.stringify(content)).not.toContain(replaced)
  const from = await everywhere(embedded, 'txpool_contentFrom', { address: account.address })
  expect(from).toEqual({ pending: content.pending[own], queued: content.queued[own] })
  const texts = await everywhere(embedded, 'txpool_inspect')
  expect(texts.pending[own]).toEqual({ '0': `${own}: 1 wei + 21000 gas × 2000000000 wei` })
  expect(texts.queued[own]).toEqual({ '7': `${own}: 1 wei + 21000 gas × 1000000000 wei` })
  const count = (part: object) =>
    `0x${Object.values(part)
      .flatMap((one) => Object.keys(one))
      .length.toString(16)}`
  expect(await everywhere(embedded, 'txpool_status')).toEqual({
    pending: count(content.pending),
    queued: count(content.queued),
  })
  expect(await rpc(embedded.urls.rpc, 'txpool_contentFrom', '0x12')).toMatchObject({ error: { code: -32602 } })
  await rpc(embedded.urls.rpc, 'admin_startSequencer')
  await until(
    async () => (await rpc(embedded.urls.rpc, 'eth_getTransactionReceipt', replacing)).result !== null,
    'the block',
  )
  const left = { pending: {}, queued: content.queued[own] }
  expect(await everywhere(embedded, 'txpool_contentFrom', { address: account.address })).toEqual(left)
})

/** A block without what go-ethereum does not show of a header. */
function headerOf({ transactions: _, uncles: _u, withdrawals: _w, size: _s, totalDifficulty: _t, ...header }: Any) {
  return header
}

test.each(['embedded', 'public'])('a header is that of its block: %s', async (which) => {
  const world = which === 'embedded' ? embedded : open
  await stopBlocks()
  const block = async (named: string) => (await rpc(world.urls.rpc, 'eth_getBlockByNumber', named, false)).result
  for (const named of ['earliest', '0x1', 'latest']) {
    const header = await everywhere(world, 'eth_getHeaderByNumber', { block: named })
    expect(header).toEqual(headerOf(await block(named)))
    expect(await everywhere(world, 'eth_getHeaderByHash', { hash: header.hash })).toEqual(header)
  }
  const pending = (await rpc(world.urls.rpc, 'eth_getHeaderByNumber', 'pending')).result
  expect(pending).toMatchObject({ parentHash: (await block('latest')).hash, number: expect.stringMatching(/^0x/) })
  expect(await everywhere(world, 'eth_getHeaderByNumber', { block: '0xffffff' })).toBeNull()
  expect(await everywhere(world, 'eth_getHeaderByHash', { hash: `0x${'7'.repeat(64)}` })).toBeNull()
  expect((await rpc(world.urls.rpc, 'eth_getHeaderByNumber', 'newest')).error?.code).toBe(-32602)
  await rpc(embedded.urls.rpc, 'admin_startSequencer')
})

test('the embedded chain has no peers and no demand for blobs', async () => {
  expect(await everywhere(embedded, 'net_peerCount')).toBe('0x0')
  const { excessBlobGas } = (await rpc(embedded.urls.rpc, 'eth_getHeaderByNumber', 'latest')).result
  expect(excessBlobGas).toBe('0x0')
  expect(await everywhere(embedded, 'eth_blobBaseFee')).toBe('0x1')
})

test('the parent chain serves the same methods', async () => {
  const ask = async (method: Method, ...params: unknown[]) =>
    (await rpc(embedded.urls.l1 ?? '', method, ...params)).result
  const block = await ask('eth_getBlockByNumber', '0x1', false)
  expect(await ask('eth_getHeaderByNumber', '0x1')).toEqual(headerOf(block))
  expect(await ask('eth_getHeaderByHash', block.hash)).toEqual(headerOf(block))
  expect([await ask('net_peerCount'), await ask('eth_blobBaseFee')]).toEqual(['0x0', '0x1'])
  const account = `0x${'a1'.repeat(20)}`
  expect(await ask('txpool_contentFrom', account)).toEqual({ pending: {}, queued: {} })
  for (const method of ['txpool_content', 'txpool_inspect', 'txpool_status'] as const)
    expect(await ask(method)).toHaveProperty('queued')
})

test('a public node shows its own pool, and what it lacks is said', async () => {
  const [account] = await anvil.call('eth_accounts')
  const transfer = { from: account, to: account, value: '0x1', gas: '0x5208', gasPrice: '0x77359400' }
  const hash = await anvil.call('eth_sendTransaction', transfer)
  await anvil.call('eth_sendTransaction', { ...transfer, nonce: '0x9' })
  expect(await everywhere(open, 'txpool_status')).toEqual({ pending: '0x1', queued: '0x1' })
  const { pending, queued } = await everywhere(open, 'txpool_content')
  expect(Object.values(pending)).toEqual([{ '0': expect.objectContaining({ hash }) }])
  expect(Object.values(queued)).toEqual([{ '9': expect.objectContaining({ nonce: '0x9' }) }])
  expect(Object.keys((await everywhere(open, 'txpool_inspect')).pending)).toEqual(Object.keys(pending))
  expect(await everywhere(open, 'eth_blobBaseFee')).toBe(await anvil.call('eth_blobBaseFee'))
  for (const [method, input] of [
    ['net_peerCount', {}],
    ['txpool_contentFrom', { address: account }],
  ] as const) {
    const message = `The node behind this gateway does not serve ${method}.`
    const { error } = await rpc(open.urls.rpc, method, ...Object.values(input))
    expect(error).toMatchObject({ code: -32004, message: `Method not supported: ${message}` })
    for (const client of [open.clients.trpc, open.clients.grpc])
      expect(await client.call(`chain.${keyOf(method)}` as OperationId, input)).toMatchObject({
        code: 'UNIMPLEMENTED',
        message,
      })
  }
})
