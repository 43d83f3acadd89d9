import fc from 'fast-check'
import { type Hex, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Chain } from '../chain/chain.ts'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import {
  chainId,
  parentAccount,
  send,
  sendAndMine,
  temporaryDir,
  testSandbox,
  treasury,
  user,
} from '../fixtures/testing.ts'
import { intrinsicGas, transactionGate } from './transactions.ts'

const opened = new AsyncDisposableStack()
let sandbox: Awaited<ReturnType<typeof testSandbox>>

beforeAll(async () => {
  const dir = opened.use(await temporaryDir())
  sandbox = opened.use(await testSandbox(dir.path))
})
afterAll(() => opened.disposeAsync())

const hex = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => toHex(bytes))
const data = fc.oneof(
  hex(0, 200),
  fc.nat(200).map((length): Hex => `0x${'00'.repeat(length)}`),
)
const authorization = fc.record({
  chainId: fc.constant(chainId),
  address: hex(20),
  nonce: fc.nat(3),
  r: hex(32),
  s: hex(32),
  yParity: fc.constantFrom(0, 1),
})
const transaction = fc.record({
  data,
  to: fc.option(hex(20), { nil: undefined }),
  accessList: fc.array(fc.record({ address: hex(20), storageKeys: fc.array(hex(32), { maxLength: 3 }) }), {
    maxLength: 3,
  }),
  authorizationList: fc.array(authorization, { maxLength: 2 }),
})

test('the intrinsic gas is exactly what the engine requires', async () => {
  const refusedFor = async (call: object, gas: bigint) => {
    const params = [{ ...call, from: treasury.address, gas: toHex(gas) }, 'latest']
    return await sandbox.request({ method: 'eth_call', params }).then(
      () => '',
      (error: Error) => error.message,
    )
  }
  await fc.assert(
    fc.asyncProperty(transaction, async ({ authorizationList, ...rest }) => {
      const delegates = authorizationList.length > 0 && rest.to !== undefined
      const least = intrinsicGas({ ...rest, ...(delegates && { authorizationList }) })
      const wire = authorizationList.map((each) => ({
        ...each,
        chainId: toHex(each.chainId),
        nonce: toHex(each.nonce),
        yParity: toHex(each.yParity),
      }))
      const call = { ...rest, ...(delegates && { type: '0x4', authorizationList: wire }) }
      expect(await refusedFor(call, least - 1n)).toContain('intrinsic gas')
      expect(await refusedFor(call, least)).not.toContain('intrinsic gas')
    }),
    { numRuns: 60 },
  )
})

test('a transaction that fits no block is refused, and its nonce stays free', async () => {
  const request = { type: 'eip1559', to: user.address, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n } as const
  const nonce = Number(
    await sandbox.request({ method: 'eth_getTransactionCount', params: [treasury.address, 'pending'] }),
  )
  const refusal = async (more: object) => {
    const raw = await treasury.signTransaction({ ...request, chainId, nonce, gas: 21_000n, ...more } as never)
    return await sandbox.request({ method: 'eth_sendRawTransaction', params: [raw] }).catch((error) => error)
  }
  const rejected = (message: string) => ({ code: -32003, message: expect.stringContaining(message) })
  expect(await refusal({ gas: 1n })).toMatchObject(rejected('intrinsic gas too low: gas 1, minimum needed 21000'))
  expect(await refusal({ data: '0x01' })).toMatchObject(rejected('minimum needed 21040'))
  for (const gas of [60_000_001n, 60_000_000n, 59_999_999n, 59_990_000n])
    expect(await refusal({ gas })).toMatchObject(rejected(`exceeds block gas limit: gas ${gas}, limit 59`))
  expect(await refusal({ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n })).toMatchObject(
    rejected(`max fee per gas less than block base fee: address ${treasury.address}, maxFeePerGas: 0, baseFee: `),
  )
  expect(
    await refusal({ type: 'legacy', gasPrice: 1n, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }),
  ).toMatchObject(rejected('max fee per gas less than block base fee'))
  // It passes 64 KiB to an empty account again and again: the engine would store each copy.
  const hoarding = { to: undefined, data: '0x5f61ffe0525b5f5f620100005f5f60bb5ff150600556' } as const
  for (const gas of [100_000n, 1_000_000n, 59_000_000n])
    expect(await refusal({ ...hoarding, gas })).toMatchObject(rejected('passes them too much data'))
  const delegating = { type: 'eip7702', authorizationList: [], gas: 100_000n }
  expect(await refusal(delegating)).toMatchObject(rejected('authorization list is empty'))
  expect(await sendAndMine(sandbox, treasury, { to: user.address, value: 1n, nonce })).toMatchObject({
    status: 'success',
  })
})

test('a balance must cover all pending transactions of its account together', async () => {
  const stranger = privateKeyToAccount(generatePrivateKey())
  await sendAndMine(sandbox, treasury, { to: stranger.address, value: 10n ** 17n })
  sandbox.sequencer.stop()
  const gas = 21_000n
  const fee = gas * 10n ** 9n
  const give = (nonce: number, value: bigint, more: object = {}) =>
    send(sandbox, stranger, { to: treasury.address, nonce, value, gas, ...more }).catch((error) => error.message)
  expect(await give(0, 10n ** 17n - fee)).toMatch(/^0x/)
  expect(await give(1, 0n)).toBe(
    `insufficient funds for gas * price + value: balance ${10n ** 17n}, queued cost ${10n ** 17n}, tx cost ${fee}, overshot ${fee}`,
  )
  expect(await give(0, 10n ** 17n - fee, { maxFeePerGas: 2n * 10n ** 9n })).toContain('overshot')
  expect(await give(0, 10n ** 16n, { maxFeePerGas: 2n * 10n ** 9n, maxPriorityFeePerGas: 2n })).toMatch(/^0x/)
  expect(await give(1, 10n ** 16n)).toMatch(/^0x/)
  expect(await give(2, 10n ** 17n - 2n * 10n ** 16n)).toContain('insufficient funds')
  sandbox.sequencer.start()
  const { request } = sandbox
  await expect
    .poll(() => request({ method: 'eth_getTransactionCount', params: [stranger.address, 'latest'] }), {
      timeout: 120_000,
    })
    .toBe('0x2')
  expect(await sendAndMine(sandbox, stranger, { to: treasury.address, value: 1n })).toMatchObject({ status: 'success' })
})

test('twenty concurrent deployments of one sender are all accepted', async () => {
  const nonce = Number(
    await sandbox.request({ method: 'eth_getTransactionCount', params: [treasury.address, 'pending'] }),
  )
  const deploy = async (index: number) =>
    await send(sandbox, treasury, { data: '0x5f5ff3', gas: 1_500_000n, nonce: nonce + index })
  expect(new Set(await Promise.all(Array.from({ length: 20 }, (_, index) => deploy(index)))).size).toBe(20)
})

test('the parent chain has the same limits', async () => {
  const { request, chainId: parentId } = sandbox.parent
  const send = async (gas: bigint) => {
    const raw = await parentAccount.signTransaction({
      type: 'eip1559',
      chainId: parentId,
      nonce: 0,
      to: user.address,
      gas,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    })
    return await request({ method: 'eth_sendRawTransaction', params: [raw] }).catch((error) => error)
  }
  expect(await send(20_999n)).toMatchObject({ code: -32003 })
  const hash = await send(60_000_000n)
  await expect
    .poll(() => request({ method: 'eth_getTransactionReceipt', params: [hash] }), { timeout: 120_000 })
    .toMatchObject({ status: '0x1' })
})

test('a long check delays its own sender only, whose transactions stay in order', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const release = Promise.withResolvers<void>()
  const read: Chain['read'] = async (method, ...rest) => {
    if (method === 'debug_traceCall') await release.promise
    return await bare.chain.read(method, ...rest)
  }
  const submitted: string[] = []
  const submit: Chain['submit'] = async (transaction) => {
    submitted.push(`${transaction.from === treasury.address.toLowerCase() ? 'treasury' : 'other'} ${transaction.nonce}`)
    await bare.chain.submit(transaction)
  }
  const gate = transactionGate({ ...bare.chain, read, submit })
  const first = Number(await bare.chain.read('eth_getTransactionCount', [treasury.address, 'latest']))
  const other = privateKeyToAccount(generatePrivateKey())
  const give = async (by: typeof treasury, nonce: number, gas: bigint, value = 0n) => {
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
    const to = other.address
    return await gate(await by.signTransaction({ type: 'eip1559', chainId, nonce, gas, to, value, ...fees }))
  }
  await give(treasury, first, 21_000n, 10n ** 17n)
  await bare.produceBlock()
  const slow = give(treasury, first + 1, 59_000_000n)
  const behind = give(treasury, first + 2, 21_000n)
  await give(other, 0, 21_000n)
  release.resolve()
  await Promise.all([slow, behind])
  expect(submitted).toEqual([`treasury ${first}`, 'other 0', `treasury ${first + 1}`, `treasury ${first + 2}`])
})
