import {
  createPublicClient,
  createWalletClient,
  defineChain,
  getContract,
  http,
  type Log,
  parseAbi,
  parseEventLogs,
  recoverMessageAddress,
  webSocket,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addresses, multicall3 } from '../../src/sandbox/deploy/addresses.ts'
import { ownArtifact } from '../../src/sandbox/deploy/artifacts.ts'
import { output } from '../clients/client.ts'
import { sharedWorld, type World } from '../world.ts'

const abi = parseAbi([
  'event Transfer(address indexed src, address indexed dst, uint256 wad)',
  'event Deposit(address indexed dst, uint256 wad)',
  'function deposit() payable',
  'function withdraw(uint256)',
  'function transfer(address, uint256) returns (bool)',
  'function balanceOf(address) view returns (uint256)',
  'function symbol() view returns (string)',
])
const weth = { address: addresses.weth, abi } as const
const [, deposited] = abi
const account = privateKeyToAccount(generatePrivateKey())
const other = privateKeyToAccount(generatePrivateKey()).address

let world: World
let client: ReturnType<typeof clientsOf>['client']
let wallet: ReturnType<typeof clientsOf>['wallet']
let socket: ReturnType<typeof clientsOf>['socket']
beforeAll(async () => {
  world = await sharedWorld()
  ;({ client, wallet, socket } = clientsOf(world.urls.rpc))
  const { txHash } = await output(world.clients.rest.call('chain.claimFaucet', { address: account.address }))
  await client.waitForTransactionReceipt({ hash: txHash })
})
afterAll(async () => {
  const { close } = await socket.transport.getRpcClient()
  close()
  await world[Symbol.asyncDispose]()
})

function clientsOf(url: string) {
  const chain = defineChain({
    id: 84_532,
    name: 'rollup',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url], webSocket: [url.replace('http', 'ws')] } },
    contracts: { multicall3: { address: multicall3 } },
  })
  const settings = { chain, pollingInterval: 200, cacheTime: 0 }
  return {
    client: createPublicClient({ ...settings, transport: http(), batch: { multicall: true } }),
    wallet: createWalletClient({ ...settings, account, transport: http(undefined, { batch: true }) }),
    socket: createPublicClient({ ...settings, transport: webSocket() }),
  }
}

const mined = (hash: `0x${string}`) => client.waitForTransactionReceipt({ hash })
const wrap = async (value: bigint) => mined(await wallet.writeContract({ ...weth, functionName: 'deposit', value }))

test('blocks are read by number, hash and tag, with their transactions and receipts', async () => {
  const receipt = await wrap(5n)
  const { blockHash, blockNumber, transactionHash: hash } = receipt
  const block = await client.getBlock({ blockNumber, includeTransactions: true })
  expect(await client.getBlock({ blockHash })).toEqual({
    ...block,
    transactions: block.transactions.map((each) => each.hash),
  })
  for (const blockTag of ['earliest', 'finalized', 'safe', 'latest', 'pending'] as const)
    expect(await client.getBlock({ blockTag })).toHaveProperty('baseFeePerGas')
  expect(await client.getBlockTransactionCount({ blockHash })).toBe(block.transactions.length)
  expect(await client.getTransaction({ blockHash, index: receipt.transactionIndex })).toMatchObject({ hash })
  expect(await client.getTransaction({ blockNumber, index: receipt.transactionIndex })).toMatchObject({ hash })
  expect(await client.getTransactionReceipt({ hash })).toEqual(receipt)
  expect(await client.getBlockReceipts({ blockNumber })).toContainEqual(receipt)
  expect(await client.getTransactionConfirmations({ hash })).toBeGreaterThan(0n)
  expect(await client.getBlockNumber()).toBeGreaterThanOrEqual(blockNumber)
  await expect(client.getBlock({ blockNumber: 10n ** 9n })).rejects.toThrow('could not be found')
  await expect(client.getTransaction({ hash: blockHash })).rejects.toThrow('could not be found')
})

test('state is read at any block whose state is stored, one by one and concurrently', async () => {
  const { blockNumber } = await wrap(7n)
  const balance = { ...weth, functionName: 'balanceOf', args: [account.address] } as const
  const [now, before] = await Promise.all([
    client.readContract({ ...balance, blockNumber }),
    client.readContract({ ...balance, blockNumber: blockNumber - 1n }),
  ])
  expect(now - before).toBe(7n)
  expect(await client.multicall({ contracts: [balance, { ...weth, functionName: 'symbol' }] })).toEqual([
    { status: 'success', result: now },
    { status: 'success', result: 'WETH' },
  ])
  expect(await getContract({ ...weth, client }).read.symbol()).toBe('WETH')
  expect(await client.getStorageAt({ address: addresses.weth, slot: '0x0' })).toMatch(/^0x[0-9a-f]{64}$/)
  const proof = await client.getProof({ address: addresses.weth, storageKeys: [`0x${'0'.repeat(64)}`], blockNumber })
  expect(proof.storageProof).toHaveLength(1)
  expect(await client.getTransactionCount({ ...account, blockTag: 'pending' })).toBeGreaterThan(0)
})

test('calls are simulated: a revert has its reason, an estimate is enough, a simulation shows the effects', async () => {
  const transfer = { ...weth, functionName: 'transfer', args: [other, 3n], account } as const
  await wrap(3n)
  expect((await client.simulateContract(transfer)).result).toBe(true)
  const overdrawn = client.simulateContract({ ...weth, functionName: 'withdraw', args: [10n ** 30n], account })
  await expect(overdrawn).rejects.toThrow('reverted')
  expect(await client.estimateContractGas(transfer)).toBeGreaterThan(21_000n)
  expect(await client.estimateGas({ account, to: other, value: 1n })).toBe(21_000n)
  const call = { account, to: addresses.weth, data: '0xd0e30db0', value: 1n } as const
  expect(await client.call(call)).toEqual({ data: undefined })
  expect((await client.createAccessList(call)).accessList).toMatchObject([{ address: addresses.weth.toLowerCase() }])
  const poor = { ...call, account: other, stateOverride: [{ address: other, balance: 10n ** 18n }] }
  expect(await client.call(poor)).toEqual({ data: undefined })
  const { results } = await client.simulateCalls({
    account,
    calls: [{ to: addresses.weth, data: '0xd0e30db0', value: 2n }],
  })
  expect(results).toMatchObject([{ status: 'success', logs: [{ address: addresses.weth.toLowerCase() }] }])
  const [block] = await client.simulateBlocks({ blocks: [{ calls: [{ ...call, account: account.address }] }] })
  expect(block?.calls).toMatchObject([{ status: 'success' }])
})

test('fees are offered that a block takes', async () => {
  const [gasPrice, tip, fees, history] = await Promise.all([
    client.getGasPrice(),
    client.estimateMaxPriorityFeePerGas(),
    client.estimateFeesPerGas(),
    client.getFeeHistory({ blockCount: 3, rewardPercentiles: [25, 75] }),
  ])
  expect([gasPrice > 0n, tip >= 0n, fees.maxFeePerGas >= (history.baseFeePerGas.at(-1) ?? 0n)]).toEqual([
    true,
    true,
    true,
  ])
  const legacy = await wallet.sendTransaction({ to: other, value: 1n, type: 'legacy', gasPrice })
  const listed = await wallet.sendTransaction({ to: other, value: 1n, accessList: [], type: 'eip2930', gasPrice })
  expect([(await mined(legacy)).type, (await mined(listed)).type]).toEqual(['legacy', 'eip2930'])
})

test('a local account signs, prepares, sends, deploys and delegates', async () => {
  const message = 'hello'
  const signature = await wallet.signMessage({ message })
  expect(await recoverMessageAddress({ message, signature })).toBe(account.address)
  expect(await client.verifyMessage({ address: account.address, message, signature })).toBe(true)
  const request = await wallet.prepareTransactionRequest({ to: other, value: 9n })
  const serializedTransaction = await wallet.signTransaction(request)
  const sent = await wallet.sendRawTransaction({ serializedTransaction })
  expect(await wallet.sendRawTransaction({ serializedTransaction })).toBe(sent)
  expect(await mined(sent)).toMatchObject({ status: 'success', gasUsed: 21_000n })
  const included = await wallet.sendRawTransactionSync({ serializedTransaction })
  expect(included).toMatchObject({ status: 'success', transactionHash: sent })

  const { abi: tokenAbi, bytecode } = ownArtifact('SandboxToken')
  const args = ['Mine', 'MINE', 6, account.address, account.address, [other], [50n]]
  const { contractAddress } = await mined(await wallet.deployContract({ abi: tokenAbi, bytecode, args }))
  const mine = { address: contractAddress ?? '0x', abi } as const
  expect(await client.readContract({ ...mine, functionName: 'balanceOf', args: [other] })).toBe(50n)

  const authorization = await wallet.signAuthorization({ contractAddress: multicall3, executor: 'self' })
  const delegating = await mined(await wallet.sendTransaction({ authorizationList: [authorization], to: other }))
  expect(delegating).toMatchObject({ status: 'success', type: 'eip7702' })
  expect(await client.getDelegation({ address: account.address })).toBe(multicall3)
})

test('events are found in the past, by filters and as they come, over HTTP and WebSocket', async () => {
  const fromBlock = await client.getBlockNumber()
  const filters = await Promise.all([
    client.createContractEventFilter({ ...weth, eventName: 'Deposit', args: { dst: account.address }, fromBlock }),
    client.createEventFilter({ address: addresses.weth, event: deposited, fromBlock }),
  ])
  const waiting = await client.createPendingTransactionFilter()
  const received: Record<string, Log[]> = { polled: [], pushed: [], contract: [] }
  const numbers: bigint[] = []
  const headers: bigint[] = []
  const onError = () => undefined
  const event = { address: addresses.weth, event: deposited, args: { dst: account.address } } as const
  const stops = [
    client.watchEvent({ ...event, onLogs: (logs) => received.polled?.push(...logs), onError }),
    socket.watchEvent({ ...event, onLogs: (logs) => received.pushed?.push(...logs), onError }),
    socket.watchContractEvent({
      ...weth,
      eventName: 'Deposit',
      onLogs: (logs) => received.contract?.push(...logs),
      onError,
    }),
    client.watchBlockNumber({ onBlockNumber: (number) => numbers.push(number), emitMissed: true, onError }),
    socket.watchBlockHeaders({ onBlockHeader: ({ number }) => headers.push(number), onError }),
  ]
  await expect.poll(() => headers.length, { timeout: 120_000 }).toBeGreaterThan(0)
  const receipt = await wrap(11n)
  const [log] = parseEventLogs({ abi, logs: receipt.logs, eventName: 'Deposit' })
  expect(log?.args).toEqual({ dst: account.address, wad: 11n })
  for (const logs of Object.values(received))
    await expect.poll(() => logs.map(({ transactionHash }) => transactionHash)).toEqual([receipt.transactionHash])
  for (const filter of filters) {
    expect(await client.getFilterChanges({ filter: filter as never })).toEqual([log])
    expect(await client.getFilterLogs({ filter: filter as never })).toContainEqual(log)
    expect(await client.uninstallFilter({ filter })).toBe(true)
  }
  expect(await client.getFilterChanges({ filter: waiting })).toContain(receipt.transactionHash)
  const past = { fromBlock: receipt.blockNumber, toBlock: receipt.blockNumber } as const
  expect(await client.getLogs({ ...event, ...past })).toEqual([log])
  expect(await socket.getContractEvents({ ...weth, eventName: 'Deposit', ...past })).toEqual([log])
  await expect.poll(() => Math.min(numbers.length, headers.length), { timeout: 120_000 }).toBeGreaterThan(1)
  for (const row of [numbers, headers]) expect(row).toEqual(row.map((_, index) => (row[0] ?? 0n) + BigInt(index)))
  for (const stop of stops) stop()
})
