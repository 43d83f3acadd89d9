import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import {
  concat,
  encodeAbiParameters,
  encodeErrorResult,
  keccak256,
  pad,
  parseAbi,
  parseAbiParameters,
  toHex,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DomainError } from '../../domain/core/errors.ts'
import { depositor } from '../../opstack/l1-attributes.ts'
import { anvilBinary } from '../../sandbox/engine/engine.ts'
import { readDeployment } from '../chain/public-chain.ts'
import type { CallNode } from './node.ts'
import { explorerSource } from './source.ts'

/** A table whose contracts this chain does not have. */
const table = readDeployment(1)
let anvil: ChildProcess
let request: CallNode

beforeAll(async () => {
  anvil = spawn(anvilBinary(), ['--port', '0'])
  for await (const line of createInterface({ input: anvil.stdout! })) {
    const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1]
    if (port === undefined) continue
    request = async (method, ...params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const answer = await fetch(`http://127.0.0.1:${port}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      return JSON.parse(await answer.text()).result
    }
    break
  }
})

afterAll(async () => {
  anvil.kill()
  await once(anvil, 'exit')
})

test('a transfer is read with its block and fee, and an unknown hash is null', async () => {
  const [from, to] = (await request('eth_accounts')) as string[]
  const hash = (await request('eth_sendTransaction', { from, to, value: '0x5' })) as string
  await expect.poll(() => request('eth_getTransactionReceipt', hash)).not.toBeNull()
  const source = explorerSource(request, table)
  expect(await source.transaction(hash)).toMatchObject({
    hash,
    from: { address: from, name: null, listed: false },
    to: { address: to },
    status: 'success',
    valueWei: 5n,
    blockNumber: 1n,
    gasUsed: 21_000n,
    depth: 1n,
    logs: [],
    transfers: [],
    trace: { type: 'CALL', valueWei: 5n, calls: [], hidden: 0 },
  })
  expect((await source.transaction(hash))?.feeWei).toBeGreaterThan(0n)
  expect((await source.transaction(hash))?.mintedWei).toBeNull()
  expect(await source.transaction(`0x${'00'.repeat(32)}`)).toBeNull()
  const { blocks, transactions } = await source.newest()
  expect(blocks.map(({ number, count }) => [number, count])).toEqual([
    [1n, 1],
    [0n, 0],
  ])
  expect(transactions).toMatchObject([{ hash, blockNumber: 1n, from: { address: from }, valueWei: 5n }])
  expect(await source.kindOf(hash)).toBe('transaction')
  expect(await source.kindOf(blocks[0]!.hash)).toBe('block')
  expect(await source.kindOf(`0x${'00'.repeat(32)}`)).toBeNull()
  expect(await source.block('1')).toMatchObject({ number: 1n, transactions: [{ hash, valueWei: 5n }] })
  for (const same of ['0x1', 'latest', blocks[0]!.hash]) expect(await source.block(same)).toMatchObject({ number: 1n })
  expect(await source.block('77')).toBeNull()
  const own = [{ hash, blockNumber: 1n, valueWei: 5n, to: { address: to } }]
  for (const party of [from, to])
    expect(await source.address(String(party).toLowerCase())).toMatchObject({
      isContract: false,
      tokens: [],
      transfers: [],
      transactions: own,
      lookedSince: 0n,
    })
  expect((await source.address(`0x${'7'.repeat(40)}`)).transactions).toEqual([])
})

test('a transaction without a receipt is pending, one that created a contract names it', async () => {
  const [from] = (await request('eth_accounts')) as string[]
  await request('evm_setAutomine', false)
  const hash = (await request('eth_sendTransaction', { from, data: '0x00', gas: '0x186a0' })) as string
  const source = explorerSource(request, table)
  expect(await source.transaction(hash)).toMatchObject({ status: 'pending', blockNumber: null, timestamp: null })
  await request('evm_mine')
  expect(await source.transaction(hash)).toMatchObject({
    status: 'success',
    to: null,
    contract: { address: expect.stringMatching(/^0x/) },
  })
})

test('the newest transactions are found below many blocks without any but their first, and no more than twenty', async () => {
  const [from, to] = (await request('eth_accounts')) as string[]
  const sent: unknown[] = []
  await request('evm_setAutomine', false)
  await request('anvil_setBalance', depositor, '0xde0b6b3a7640000')
  await request('anvil_impersonateAccount', depositor)
  const begun = () => request('eth_sendTransaction', { from: depositor, to, gas: '0x5208' })
  for (let count = 0; count < 13; count += 1) {
    await begun()
    for (const value of ['0x1', '0x2']) sent.push(await request('eth_sendTransaction', { from, to, value }))
    await request('evm_mine')
  }
  const source = explorerSource(request, table)
  expect((await source.newest()).transactions.map(({ hash }) => hash)).toEqual(sent.toReversed().slice(0, 20))
  for (let count = 0; count < 50; count += 1) {
    await begun()
    await request('evm_mine')
  }
  const { blocks, transactions } = await source.newest()
  expect(blocks.map(({ count }) => count)).toEqual(Array(20).fill(1))
  expect(transactions.map(({ hash }) => hash)).toEqual(sent.toReversed().slice(0, 20))
})

test('known events are named with their arguments, others are left raw', async () => {
  const [from, to] = (await request('eth_accounts')) as [`0x${string}`, `0x${string}`]
  const topics = [keccak256(toHex('Transfer(address,address,uint256)')), pad(from), pad(to)]
  const log = { address: from, topics, data: encodeAbiParameters([{ type: 'uint256' }], [9n]), logIndex: '0x0' }
  const base = (await request('eth_sendTransaction', { from, to, value: '0x1' })) as string
  await request('evm_mine')
  const source = explorerSource(async (method, ...params) => {
    const answer = await request(method, ...params)
    return method === 'eth_getTransactionReceipt'
      ? { ...(answer as object), logs: [log, { ...log, topics: [pad('0x1')] }] }
      : answer
  }, table)
  const [known, unknown] = (await source.transaction(base))?.logs ?? []
  expect(known?.event).toMatchObject({
    name: 'Transfer',
    args: [{ name: 'from' }, { name: 'to' }, { name: 'value', value: '9' }],
  })
  expect(unknown?.event).toBeNull()
  const usdc = table.tokens.find(({ symbol }) => symbol === 'USDC')!
  const listed = explorerSource(async (method, ...params) => {
    const answer = await request(method, ...params)
    const moved = { ...log, address: usdc.address.toLowerCase() }
    return method === 'eth_getTransactionReceipt' ? { ...(answer as object), logs: [moved] } : answer
  }, table)
  expect((await listed.transaction(base))?.logs[0]?.event?.args[2]).toEqual({ name: 'value', value: '0.000009 USDC' })
})

test('a transfer and an approval of a listed token are told, and decoded in its units', async () => {
  const [from, to] = (await request('eth_accounts')) as [`0x${string}`, `0x${string}`]
  const token = table.tokens.find(({ symbol }) => symbol === 'USDC')!
  const source = explorerSource(request, table)
  const send = async (data: string, code: string, value = '0x0') => {
    await request('anvil_setCode', token.address, code)
    const hash = (await request('eth_sendTransaction', {
      from,
      to: token.address,
      data,
      value,
      gas: '0x186a0',
    })) as string
    await request('evm_mine')
    return await source.transaction(hash)
  }
  const arguments25 = `${pad(to).slice(2)}${pad(toHex(25_000_000)).slice(2)}`
  // Code that does nothing: a token that says nothing of the transfer.
  const silent = await send(`0xa9059cbb${arguments25}`, '0x00')
  expect(silent?.deed).toMatchObject({ kind: 'call', name: 'transfer', contract: { name: 'USDC' } })
  expect(silent?.call).toMatchObject({
    name: 'transfer',
    args: [
      { name: 'to', party: { address: expect.any(String) } },
      { name: 'value', value: '25 USDC' },
    ],
  })
  const allowed = { kind: 'allow', spender: { name: null }, token: { name: 'USDC', listed: true } }
  expect((await send(`0x095ea7b3${arguments25}`, '0x00'))?.deed).toMatchObject({ ...allowed, amount: '25' })
  const any = `${pad(to).slice(2)}${'f'.repeat(64)}`
  expect((await send(`0x095ea7b3${any}`, '0x00'))?.deed).toMatchObject({ ...allowed, amount: null })
  expect((await send('0x12345678', '0x00'))?.deed).toMatchObject({ kind: 'call', name: '0x12345678' })
  expect((await send('0x', '0x00', '0x5'))?.deed).toMatchObject({
    kind: 'send',
    sent: { amount: '0.000000000000000005' },
  })
  expect((await send(`0xa9059cbb${pad(to).slice(2)}`, '0x00'))?.call).toBeNull()
})

test('a reverted transaction says why: by its text, a panic or a known error', async () => {
  const [from, to] = (await request('eth_accounts')) as [`0x${string}`, `0x${string}`]
  const token = table.tokens.find(({ symbol }) => symbol === 'USDC')!
  const data = `0xa9059cbb${pad(to).slice(2)}${pad(toHex(25_000_000)).slice(2)}`
  const wrong = encodeErrorResult({ abi: parseAbi(['error ERC20InvalidSender(address sender)']), args: [from] })
  const text = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: ['<b>no</b>'] })
  const panic = encodeErrorResult({ abi: parseAbi(['error Panic(uint256)']), args: [17n] })
  for (const [payload, reason] of [
    [text, '<b>no</b>'],
    [panic, 'a number overflowed (panic 0x11)'],
    [wrong, expect.stringMatching(/^ERC20InvalidSender\(0x/)],
  ] as const) {
    // Copies what follows this code to memory, and reverts with it.
    const size = pad(toHex((payload.length - 2) / 2), { size: 2 }).slice(2)
    await request('anvil_setCode', token.address, `0x61${size}600e60003961${size}6000fd${payload.slice(2)}`)
    const hash = (await request('eth_sendTransaction', { from, to: token.address, data, gas: '0x186a0' })) as string
    await request('evm_mine')
    expect(await explorerSource(request, table).transaction(hash)).toMatchObject({
      status: 'reverted',
      reason,
      deed: { kind: 'send', sent: { amount: '25', token: { name: 'USDC' } } },
    })
  }
})

test('marks come from the tags of the node, neighbours from the block, and a node without the tags marks nothing', async () => {
  const [from, to] = (await request('eth_accounts')) as string[]
  await request('evm_setAutomine', false)
  const send = async () => (await request('eth_sendTransaction', { from, to, value: '0x1' })) as string
  const [first, second, third] = [await send(), await send(), await send()]
  await request('evm_mine')
  const number = BigInt(String(await request('eth_blockNumber')))
  const tagged = (safe: bigint | null, finalized: bigint | null) =>
    explorerSource(async (method, ...params) => {
      const tags: Record<string, bigint | null> = { safe, finalized }
      const tag = tags[String(params[0])]
      if (method !== 'eth_getBlockByNumber' || tag === undefined) return await request(method, ...params)
      if (tag === null) throw new DomainError('INVALID_ARGUMENT', 'There is no such tag.')
      return await request(method, `0x${tag.toString(16)}`, false)
    }, table)
  for (const [safe, finalized, mark] of [
    [number, 0n, 'safe'],
    [number, number, 'final'],
    [number - 1n, number - 1n, null],
    [null, null, null],
  ] as const) {
    const source = tagged(safe, finalized)
    expect(await source.transaction(second)).toMatchObject({ mark, previous: first, next: third })
    expect(await source.block(String(number))).toMatchObject({ mark, hasNext: false })
  }
  const source = tagged(number, number)
  expect(await source.transaction(first)).toMatchObject({ previous: null, next: second })
  expect(await source.transaction(third)).toMatchObject({ previous: second, next: null })
  expect(await source.block(String(number - 1n))).toMatchObject({ mark: 'final', hasNext: true })
  const gone = (await request('eth_getBlockByNumber', `0x${number.toString(16)}`, false)) as { hash: string }
  const left = explorerSource(async (method, ...params) => {
    if (method !== 'eth_getBlockByHash') return await request(method, ...params)
    return { ...gone, hash: pad('0x1'), transactions: [] }
  }, table)
  expect(await left.block(pad('0x1'))).toMatchObject({ mark: null, hasNext: false })
})

test('an address is worth what the current feeds say, and unknown without them', async () => {
  const [owner] = (await request('eth_accounts')) as [string]
  expect(await explorerSource(request, table).address(owner.toLowerCase())).toMatchObject({ worth: null, tokens: [] })
  const word = (value: bigint) => pad(toHex(value))
  const answer = (pieces: readonly `0x${string}`[]) =>
    encodeAbiParameters(parseAbiParameters('(bool success, bytes data)[]'), [
      pieces.map((data) => ({ success: data !== '0x', data })),
    ])
  const { timestamp } = (await request('eth_getBlockByNumber', 'latest', false)) as { timestamp: string }
  const feed = (pair: string) => table.feeds.find((one) => one.pair === pair)!
  const usdc = table.tokens.find(({ symbol }) => symbol === 'USDC')!
  const asks = { balances: 0, others: 0 }
  const source = (age: bigint) =>
    explorerSource(async (method, ...params) => {
      const { to, data = '' } = (params[0] ?? {}) as { to?: string; data?: string }
      if (method !== 'eth_call' || to !== table.multicall3) return await request(method, ...params)
      if (data.includes('70a08231')) {
        asks.balances += 1
        return answer(table.tokens.map(({ symbol }) => (symbol === 'USDC' ? word(2_500_000n) : '0x')))
      }
      asks.others += 1
      const isRound = data.includes('feaf968c')
      const updated = BigInt(timestamp) - age
      const round = concat([word(1n), word(3_000n * 10n ** 8n), word(updated), word(updated), word(1n)])
      return answer(table.feeds.map(({ pair }) => (pair !== table.native_usd_feed ? '0x' : isRound ? round : word(8n))))
    }, table)
  const found = await source(0n).address(owner.toLowerCase())
  const ether = Number(found.balanceWei) / 1e18
  expect(Number(found.worth?.usd)).toBeCloseTo(ether * 3_000, 2)
  expect(found.worth?.unpriced).toEqual(['USDC'])
  expect(found.tokens).toMatchObject([{ token: { name: 'USDC', address: usdc.address }, amount: '2.5', usd: null }])
  expect(asks).toEqual({ balances: 1, others: 2 })
  const stale = BigInt(feed(table.native_usd_feed).heartbeat_seconds) + 60n
  expect((await source(stale).address(owner.toLowerCase())).worth).toBeNull()
})

test('a swap is told by what left the sender and what came, and only where that is one token each', async () => {
  const [from, to] = (await request('eth_accounts')) as [`0x${string}`, `0x${string}`]
  const hash = (await request('eth_sendTransaction', { from, to, data: '0x12345678' })) as string
  await request('evm_mine')
  const moved = (symbol: string, sender: `0x${string}`, receiver: `0x${string}`, value: bigint, logIndex: string) => ({
    address: table.tokens.find((one) => one.symbol === symbol)!.address,
    topics: [keccak256(toHex('Transfer(address,address,uint256)')), pad(sender), pad(receiver)],
    data: encodeAbiParameters([{ type: 'uint256' }], [value]),
    logIndex,
  })
  const paid = moved('USDC', from, to, 3_000_000n, '0x0')
  const got = moved('WETH', to, from, 10n ** 15n, '0x1')
  const deedOf = async (logs: unknown[]) => {
    const source = explorerSource(async (method, ...params) => {
      const answer = await request(method, ...params)
      return method === 'eth_getTransactionReceipt' ? { ...(answer as object), logs } : answer
    }, table)
    return (await source.transaction(hash))?.deed
  }
  const swap = { kind: 'swap', venue: { address: to }, paid: { amount: '3', token: { name: 'USDC' } } }
  expect(await deedOf([paid, got])).toMatchObject({ ...swap, got: { amount: '0.001', token: { name: 'WETH' } } })
  // What is sent back lessens what was paid.
  const back = moved('USDC', to, from, 1_000_000n, '0x2')
  expect(await deedOf([paid, got, back])).toMatchObject({ kind: 'swap', paid: { amount: '2' } })
  expect(await deedOf([paid])).toMatchObject({ kind: 'call', name: '0x12345678' })
  expect(await deedOf([paid, got, moved('DAI', to, from, 1n, '0x2')])).toMatchObject({ kind: 'call' })
  expect(await deedOf(Array(101).fill(paid).with(0, got))).toMatchObject({ kind: 'call' })
})

test('without a trace the reason of a revert is that of the same call on the block before', async () => {
  const [from, to] = (await request('eth_accounts')) as string[]
  const hash = (await request('eth_sendTransaction', { from, to, value: '0x1' })) as string
  await request('evm_mine')
  const number = BigInt(String(await request('eth_blockNumber')))
  const source = explorerSource(async (method, ...params) => {
    if (method === 'debug_traceTransaction') throw new DomainError('INVALID_ARGUMENT', 'The node has no traces.')
    if (method === 'eth_call' && params[1] === `0x${(number - 1n).toString(16)}`)
      throw new DomainError('EXECUTION_REVERTED', 'execution reverted: nope')
    const answer = await request(method, ...params)
    return method === 'eth_getTransactionReceipt' ? { ...(answer as object), status: '0x0' } : answer
  }, table)
  expect(await source.transaction(hash)).toMatchObject({ status: 'reverted', reason: 'nope', trace: null })
})

test('of a great many logs the first ones are shown', async () => {
  const [from, to] = (await request('eth_accounts')) as [`0x${string}`, `0x${string}`]
  const sent = (await request('eth_sendTransaction', { from, to, value: '0x1' })) as string
  await request('evm_mine')
  const log = { address: from, topics: [], data: '0x', logIndex: '0x0' }
  const source = explorerSource(async (method, ...params) => {
    const answer = await request(method, ...params)
    return method === 'eth_getTransactionReceipt' ? { ...(answer as object), logs: Array(5_000).fill(log) } : answer
  }, table)
  const shown = await source.transaction(sent)
  expect([shown?.logs.length, shown?.hiddenLogs]).toEqual([200, 4_800])
})

test("a failure of the node has the node client's own code and message", async () => {
  const failure = new DomainError('LIMIT_EXCEEDED', 'The node limits its rate.')
  const source = explorerSource(() => Promise.reject(failure), table)
  await expect(source.newest()).rejects.toBe(failure)
})
