import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { type Address, encodeFunctionData, type Hex, maxUint256, numberToHex, padHex, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenAbi, v2RouterAbi, v3RouterAbi } from '../deploy/abis.ts'
import { addresses } from '../deploy/addresses.ts'
import { clientOf, sendAndMine, temporaryDir, testSandbox, treasury, user } from '../fixtures/testing.ts'
import { estimateGas, mostRuns } from './run-code.ts'

let dir: Awaited<ReturnType<typeof temporaryDir>>
let sandbox: Awaited<ReturnType<typeof testSandbox>>

const { weth, usdc, v2Router, v3Router } = addresses
const from = treasury.address
const code: Address = '0x00000000000000000000000000000000000c0de5'
const most = 50_000_000

beforeAll(async () => {
  dir = await temporaryDir()
  sandbox = await testSandbox(dir.path)
  await sendAndMine(sandbox, treasury, { to: weth, data: '0xd0e30db0', value: 10n ** 19n })
  for (const spender of [v2Router, v3Router])
    await sendAndMine(sandbox, treasury, { to: weth, data: token('approve', spender, maxUint256) })
})
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

type Transaction = { from: Address; to?: Address; data?: Hex; value?: Hex }
type Kind = { transaction: Transaction; overrides?: object }

function token(functionName: 'approve' | 'transfer', account: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: tokenAbi, functionName, args: [account, amount] })
}

const bytes = (hex: string) => hex.replaceAll(' ', '')
const word = (value: number) => value.toString(16).padStart(4, '0')

/** Calls itself as deep as its input says, then loops. An inner call that fails makes the outer one fail. */
const nested = (loops: number): Hex =>
  `0x${bytes(`5f35 80 15 601e 57 6001 90 03 5f52 5f5f60205f5f305af1 601c 57 5f5ffd 5b00 5b61${word(loops)} 5b 6001 90 03 80 6022 57 00`)}`

/** Sets so many storage slots to zero, which refunds gas. */
const clears = (slots: number): Hex => `0x61${word(slots)}${bytes('5b 6001 90 03 5f 81 55 80 6003 57 00')}`
const filled = (slots: number) =>
  Object.fromEntries(Array.from({ length: slots }, (_, slot) => [padHex(toHex(slot)), padHex('0x1')]))

const atCode = (data: Hex): Transaction => ({ from, to: code, data })
const amounts = fc.bigInt(10n ** 12n, 10n ** 17n)

const swap = (amountIn: bigint): Kind[] => {
  const v3 = { tokenIn: weth, tokenOut: usdc, fee: 500, recipient: from, amountIn, amountOutMinimum: 0n }
  const params = { ...v3, sqrtPriceLimitX96: 0n }
  const args = [amountIn, 0n, [weth, usdc], from, maxUint256] as const
  const v2 = encodeFunctionData({ abi: v2RouterAbi, functionName: 'swapExactTokensForTokens', args })
  return [
    {
      transaction: {
        from,
        to: v3Router,
        data: encodeFunctionData({ abi: v3RouterAbi, functionName: 'exactInputSingle', args: [params] }),
      },
    },
    { transaction: { from, to: v2Router, data: v2 } },
  ]
}

const bytecodeOf = (name: string) =>
  (
    JSON.parse(readFileSync(new URL(`../contracts/artifacts/${name}.json`, import.meta.url), 'utf8')) as {
      bytecode: Hex
    }
  ).bytecode

const kinds: fc.Arbitrary<Kind> = fc.oneof(
  amounts.map((amount) => ({ transaction: { from, to: user.address, value: numberToHex(amount) } })),
  amounts.map((amount) => ({ transaction: { from, to: weth, data: '0xd0e30db0' as Hex, value: numberToHex(amount) } })),
  fc
    .tuple(fc.constantFrom('approve' as const, 'transfer' as const), amounts)
    .map(([name, amount]) => ({ transaction: { from, to: weth, data: token(name, user.address, amount) } })),
  { arbitrary: amounts.chain((amount) => fc.constantFrom(...swap(amount))), weight: 3 },
  fc
    .constantFrom('WrappedEther', 'L1Block', 'TrieProof')
    .map((name) => ({ transaction: { from, data: bytecodeOf(name) } })),
  {
    arbitrary: fc.tuple(fc.nat(200), fc.integer({ min: 1, max: 60_000 })).map(([depth, loops]) => ({
      transaction: atCode(padHex(toHex(depth))),
      overrides: { [code]: { code: nested(loops) } },
    })),
    weight: 3,
  },
  fc.integer({ min: 1, max: 300 }).map((slots) => ({
    transaction: atCode('0x'),
    overrides: { [code]: { code: clears(slots), stateDiff: filled(slots + 1) } },
  })),
)

const ask = (method: string, params: unknown) => sandbox.request({ method, params, lane: 'own' })

test('an estimate is never too low, at most 5 % too high, and takes at most 16 runs', async () => {
  const property = fc.asyncProperty(kinds, async ({ transaction, overrides = {} }) => {
    let runs = 0
    const run = async (method: string, params?: unknown) => {
      runs += 1
      return await ask(method, params)
    }
    const estimate = Number(await estimateGas(run, [transaction, 'latest', overrides], most))
    expect(runs).toBeLessThanOrEqual(mostRuns)

    const succeeds = async (gas: number) => {
      const params = [{ ...transaction, gas: numberToHex(gas) }, 'latest', overrides]
      return await ask('eth_call', params).then(
        () => true,
        () => false,
      )
    }
    expect(await succeeds(estimate)).toBe(true)
    let [fails, works] = [20_999, estimate]
    while (works - fails > 1) {
      const middle = Math.floor((works + fails) / 2)
      if (await succeeds(middle)) works = middle
      else fails = middle
    }
    expect(estimate / works).toBeLessThanOrEqual(1.05)
  })
  await fc.assert(property, { numRuns: 60, verbose: 1 })
})

test('a transaction with its estimate succeeds in a block', async () => {
  const client = clientOf(sandbox)
  for (const { transaction } of swap(10n ** 17n)) {
    const { to, data } = transaction as { to: Address; data: Hex }
    const gas = await client.estimateGas({ account: from, to, data })
    expect((await sendAndMine(sandbox, treasury, { to, data, gas })).status).toBe('success')
  }
})

test('a call that goes on without its inner call is estimated with it', async () => {
  // The inner call loops; the outer one ignores whether it failed.
  const inner: Address = '0x00000000000000000000000000000000000c0de6'
  const outer = `0x5f5f5f5f5f73${inner.slice(2)}5af15000` as Hex
  const overrides = { [code]: { code: outer }, [inner]: { code: nested(20_000) } }
  const estimate = Number(await ask('eth_estimateGas', [atCode('0x'), 'latest', overrides]))
  const innerFails = await ask('eth_call', [{ ...atCode('0x'), gas: '0x9c40' }, 'latest', overrides])
  expect(innerFails).toBe('0x')
  expect(estimate).toBeGreaterThan(500_000)
})

test('what fails with all gas is refused with its reason', async () => {
  const refusal = (codeOf: Hex, more: object = {}) =>
    ask('eth_estimateGas', [{ ...atCode('0x'), ...more }, 'latest', { [code]: { code: codeOf } }])
  await expect(refusal('0x60205ffd')).rejects.toMatchObject({ code: 3, data: padHex('0x') })
  await expect(refusal('0x5b5f56')).rejects.toMatchObject({ message: 'gas required exceeds allowance (50000000)' })
  await expect(refusal('0x5b5f56', { gas: '0x186a0' })).rejects.toMatchObject({
    message: 'gas required exceeds allowance (100000)',
  })
  const refused = async (more: object) =>
    await refusal('0x5b5a620186a010600057', more).catch(({ message }: Error) => message)
  const price = '0x3b9aca00'
  expect(await refused({ from: user.address, maxFeePerGas: price })).toMatch(/insufficient funds/i)
  expect(await refused({ from: user.address, value: '0x1', maxFeePerGas: price })).toMatch(/insufficient funds/i)
  // It can pay for 30,000 gas.
  const overrides = {
    [code]: { code: nested(5_000) },
    [user.address]: { balance: numberToHex(30_000n * BigInt(price)) },
  }
  const some = ask('eth_estimateGas', [{ ...atCode('0x'), from: user.address, gasPrice: price }, 'latest', overrides])
  await expect(some).rejects.toMatchObject({ message: 'gas required exceeds allowance (30000)' })
  await expect(refusal('0x00', { gas: '0x1000' })).rejects.toMatchObject({
    message: 'gas required exceeds allowance (4096)',
  })
})
