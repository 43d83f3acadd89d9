import {
  concat,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  parseUnits,
  serializeTransaction,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsOnly } from '../../src/adapters/chain/fixtures/nodes.ts'
import { openChain } from '../../src/adapters/chain/viem-chain.ts'
import { paidPerGas } from '../../src/domain/ports/chains.ts'
import { depositor } from '../../src/opstack/l1-attributes.ts'
import { gasPriceOracle, l1Block } from '../../src/opstack/predeploys.ts'
import { chainId } from '../../src/sandbox/fixtures/testing.ts'
import { traderOf } from './public-trader.ts'
import { openPublicTradingWorld, type PublicTradingWorld } from './public-world.ts'

const oracle = parseAbi(['function getL1Fee(bytes) view returns (uint256)'])
let world: PublicTradingWorld

beforeAll(async () => {
  world = await openPublicTradingWorld()
})
afterAll(async () => await world?.close())

/** Sets the price of a byte on the parent chain, as the first transaction of a block does. */
async function setBaseFee(wei: bigint): Promise<void> {
  const scalars = [1_000_000, 0].map((value) => numberToHex(value, { size: 4 }))
  const rest = [1, 2, 3].map((value) => numberToHex(value, { size: 8 }))
  const words = [wei, 0n, 4n, 5n].map((value) => numberToHex(value, { size: 32 }))
  const operator = [numberToHex(0, { size: 4 }), numberToHex(0, { size: 8 })]
  const data = concat(['0x098999be', ...scalars, ...rest, ...words, ...operator])
  await world.anvil.call('anvil_impersonateAccount', depositor)
  await world.anvil.call('anvil_setBalance', depositor, '0xde0b6b3a7640000')
  await world.anvil.call('eth_sendTransaction', { from: depositor, to: l1Block, data, gas: '0xf4240' })
  await world.anvil.mine()
  await world.anvil.call('evm_setIntervalMining', 0)
}

/** What the rollup's own contract says of an unsigned transaction. */
async function truth(unsigned: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi: oracle, functionName: 'getL1Fee', args: [unsigned] })
  return decodeFunctionResult({
    abi: oracle,
    functionName: 'getL1Fee',
    data: await world.anvil.call('eth_call', { to: gasPriceOracle, data }, 'latest'),
  })
}

/** A chain over the node, with the calls that read the oracle. */
function counted() {
  const reads: unknown[] = []
  const node = callsOnly(async ({ method, params }) => {
    if (JSON.stringify(params ?? []).includes(gasPriceOracle.slice(2))) reads.push(method)
    return await world.anvil.call(method, ...((params ?? []) as unknown[]))
  })
  return { reads, chain: openChain({ deployment: world.deployment, node, sandbox: false }) }
}

test('the data of a swap counts in its gas, by one read a block, as the rollup charges for it', async () => {
  await world.anvil.call('evm_setIntervalMining', 0)
  const { chain, reads } = counted()
  const amountIn = parseUnits('1', 18)
  const best = async () => (await chain.quoteRoutes(world.token('WETH'), world.token('USDC'), amountIn)).quotes[0]!
  const plain = await chain.estimateSwapGas(await best(), amountIn)
  expect(await chain.dataFee([{ data: '0x' }])).toBe(0n)
  await setBaseFee(10n ** 9n)
  reads.splice(0)
  const { route } = await best()
  const gas = await chain.estimateSwapGas(await best(), amountIn)
  const plan = { route, owner: depositor, amountIn, minimumOut: 1n, deadline: 2n ** 31n }
  const legs = await chain.swapLegs(plan)
  const fees = await chain.fees()
  const swap = legs.at(-1)!
  const added = (gas - plain) * paidPerGas(fees)
  expect(Number(added) / Number(await chain.dataFee([swap.call]))).toBeCloseTo(1, 1)
  expect(swap.gas).toBeLessThan(gas) // the limit of the transaction has no part of it
  for (const { call } of legs) {
    const unsigned = { ...call, chainId, nonce: 7, gas: 200_000n, maxFeePerGas: fees.maxFeePerGas, type: 'eip1559' }
    const real = Number(await truth(serializeTransaction(unsigned as Parameters<typeof serializeTransaction>[0])))
    const ratio = Number(await chain.dataFee([call])) / real
    expect(ratio).toBeGreaterThan(0.8)
    expect(ratio).toBeLessThan(1.3)
  }
  expect(reads).toEqual(['eth_call'])
})

test('a wallet that cannot pay for the data of a trade is told before anything is sent', async () => {
  await world.anvil.call('evm_setIntervalMining', 1)
  const person = await world.person()
  await setBaseFee(10n ** 17n)
  const { status, message } = await traderOf(world, person).execute('0.02')
  expect([status, message]).toEqual(['rejected', expect.stringMatching(/with gas the trade may cost up to/)])
  expect(await world.chain.nonce(person.address, 'pending')).toBe(0)
})
