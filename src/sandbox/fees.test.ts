import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { concat, decodeFunctionResult, encodeFunctionData, type Hex, numberToHex, pad, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depositor } from '../opstack/l1-attributes.ts'
import { gasPriceOracle, l1Block } from '../opstack/predeploys.ts'
import { ownArtifact } from './deploy/artifacts.ts'
import { genesisOf } from './deploy/genesis.ts'
import { type Engine, startEngine } from './engine/engine.ts'
import { chainId, temporaryDir, treasury } from './fixtures/testing.ts'

const oracle = parseAbi([
  'function getL1Fee(bytes) view returns (uint256)',
  'function getL1FeeUpperBound(uint256) view returns (uint256)',
  'function getL1GasUsed(bytes) view returns (uint256)',
  'function getOperatorFee(uint256) view returns (uint256)',
])
const noPrices = {
  baseFeeScalar: 0,
  blobBaseFeeScalar: 0,
  baseFee: 0n,
  blobBaseFee: 0n,
  operatorFeeScalar: 0,
  operatorFeeConstant: 0n,
}
/** With these prices a transaction pays one wei for each millionth byte of its estimated size in a batch. */
const gauge = { ...noPrices, blobBaseFeeScalar: 1, blobBaseFee: 10n ** 12n }
const least = 100_000_000n
/** The bytes that the oracle adds for the missing signature. */
const signature = 68n * 836_500n

let dir: Awaited<ReturnType<typeof temporaryDir>>
let engine: Engine
beforeAll(async () => {
  dir = await temporaryDir()
  const genesisFile = join(dir.path, 'genesis.json')
  const placed = (name: string) => ({ balance: '0x0', code: ownArtifact(name).deployedBytecode }) as const
  const accounts = {
    [treasury.address]: { balance: numberToHex(10n ** 30n) },
    [l1Block]: placed('L1Block'),
    [gasPriceOracle]: placed('GasPriceOracle'),
  }
  writeFileSync(genesisFile, genesisOf({ chainId, timestamp: 1_700_000_000 }, accounts))
  const kind = ['--network', 'optimism']
  engine = await startEngine({
    engineDir: dir.path,
    genesisFile,
    chainId,
    kind,
    states: 50,
    readSeconds: 5,
    emit: () => {},
  })
})
afterAll(async () => {
  await engine.kill()
  await dir[Symbol.asyncDispose]()
})

/** Sets the rollup's prices for data and for its operator. */
async function setPrices(prices: typeof noPrices): Promise<void> {
  const nonce = (await engine.call('eth_getTransactionCount', [depositor, 'latest'])) as Hex
  const data = concat([
    '0x098999be',
    ...[prices.baseFeeScalar, prices.blobBaseFeeScalar].map((value) => numberToHex(value, { size: 4 })),
    ...[1, 2, 3].map((value) => numberToHex(value, { size: 8 })),
    ...[prices.baseFee, prices.blobBaseFee, 4, 5].map((value) => numberToHex(value, { size: 32 })),
    numberToHex(prices.operatorFeeScalar, { size: 4 }),
    numberToHex(prices.operatorFeeConstant, { size: 8 }),
  ])
  const deposit = {
    from: depositor,
    to: l1Block,
    gas: '0xf4240',
    data,
    sourceHash: pad(nonce),
    mint: '0x0',
    value: '0x0',
  }
  await engine.call('eth_sendTransaction', [{ ...deposit, type: '0x7e', isSystemTx: false, nonce }])
  await engine.call('evm_mine')
}

async function readOracle(functionName: 'getL1Fee' | 'getL1GasUsed', raw: Hex): Promise<bigint>
async function readOracle(functionName: 'getL1FeeUpperBound' | 'getOperatorFee', value: bigint): Promise<bigint>
async function readOracle(functionName: string, argument: Hex | bigint): Promise<bigint> {
  const oracleCall = { abi: oracle, functionName, args: [argument] } as Parameters<typeof encodeFunctionData>[0]
  // From a funded account: the engine charges even for a read.
  const call = { from: treasury.address, to: gasPriceOracle, data: encodeFunctionData(oracleCall) }
  const data = (await engine.call('eth_call', [call, 'latest'])) as Hex
  return decodeFunctionResult({ abi: oracle, functionName: 'getL1Fee', data })
}

const balance = async () => BigInt(String(await engine.call('eth_getBalance', [treasury.address, 'latest'])))

/** Sends a transaction with this data, and returns what the engine charged for it besides gas. */
async function charged(data: Hex): Promise<{ raw: Hex; fee: bigint; gasUsed: bigint }> {
  const nonce = Number(await engine.call('eth_getTransactionCount', [treasury.address, 'latest']))
  const raw = await treasury.signTransaction({
    type: 'eip1559',
    chainId,
    to: treasury.address,
    data,
    nonce,
    gas: 10_000_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 0n,
  })
  const before = await balance()
  const hash = await engine.call('eth_sendRawTransaction', [raw])
  await engine.call('evm_mine')
  const receipt = (await engine.call('eth_getTransactionReceipt', [hash])) as Record<string, Hex>
  const [gasUsed, price] = [receipt.gasUsed, receipt.effectiveGasPrice].map((value) => BigInt(String(value)))
  return { raw, fee: before - (await balance()) - gasUsed! * price!, gasUsed: gasUsed! }
}

/** Bytes as in real calls: random ones, runs of equal ones, and repeated parts. */
const bytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.tuple(fc.nat(255), fc.nat(700)).map(([byte, count]) => new Uint8Array(count).fill(byte)),
      fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(30)).map(([part, count]) => {
        return Uint8Array.from({ length: part.length * count }, (_, index) => part[index % part.length]!)
      }),
    ),
    { maxLength: 8 },
  )
  .map((parts): Hex => `0x${Buffer.concat(parts).toString('hex')}`)

test('the oracle computes the data fee that the engine charges, for any data', async () => {
  await setPrices(gauge)
  await fc.assert(
    fc.asyncProperty(bytes, async (data) => {
      const { raw, fee } = await charged(data)
      const size = (await readOracle('getL1Fee', raw)) - signature
      expect(fee).toBe(size > least ? size : least)
      expect(await readOracle('getL1GasUsed', raw)).toBe(((size + signature) * 16n) / 10n ** 6n)
      const length = BigInt(raw.length / 2 - 1)
      expect(await readOracle('getL1FeeUpperBound', length)).toBeGreaterThanOrEqual(size + signature)
    }),
    { numRuns: 60 },
  )
})

test('and for any prices', async () => {
  const scalar = fc.nat(2_000_000)
  const wei = fc.bigInt({ min: 0n, max: 10n ** 12n })
  const prices = fc.record({
    baseFeeScalar: scalar,
    blobBaseFeeScalar: scalar,
    baseFee: wei,
    blobBaseFee: wei,
    operatorFeeScalar: scalar,
    operatorFeeConstant: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  })
  await fc.assert(
    fc.asyncProperty(prices, bytes, async (chosen, data) => {
      await setPrices(chosen)
      const { raw, fee, gasUsed } = await charged(data)
      const [dataFee, operator] = [await readOracle('getL1Fee', raw), await readOracle('getOperatorFee', gasUsed)]
      await setPrices(gauge)
      const whole = await readOracle('getL1Fee', raw)
      const { baseFeeScalar, baseFee, blobBaseFeeScalar, blobBaseFee } = chosen
      const price = 16n * BigInt(baseFeeScalar) * baseFee + BigInt(blobBaseFeeScalar) * blobBaseFee
      const size = whole - signature > least ? whole - signature : least
      expect(dataFee).toBe((whole * price) / 10n ** 12n)
      expect(fee).toBe((size * price) / 10n ** 12n + operator)
    }),
    { numRuns: 25 },
  )
})
