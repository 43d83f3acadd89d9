import { type Address, http, parseAbi, parseEther, toHex } from 'viem'
import { getL2TransactionHashes } from 'viem/op-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { l1Block } from '../../src/opstack/predeploys.ts'
import { multicall3 } from '../../src/sandbox/deploy/addresses.ts'
import { opStackClientsOver } from '../../src/sandbox/fixtures/op-stack.ts'
import { parentAccount } from '../../src/sandbox/fixtures/testing.ts'
import { parentAddresses, parentChainId } from '../../src/sandbox/rollup/parameters.ts'
import { rpc } from '../clients/rpc-call.ts'
import { openWorld, type World } from '../world.ts'

type Status = { unsafe_l2: { l1origin: { number: number; hash: string }; sequenceNumber: number } }

const account = parentAccount
const somebody: Address = '0x00000000000000000000000000000000000face0'
const attributes = parseAbi([
  'function number() view returns (uint64)',
  'function timestamp() view returns (uint64)',
  'function basefee() view returns (uint256)',
  'function hash() view returns (bytes32)',
  'function sequenceNumber() view returns (uint64)',
])

let world: World
let clients: ReturnType<typeof opStackClientsOver>
beforeAll(async () => {
  world = await openWorld()
  const transports = { rollup: http(world.urls.rpc), parent: http(world.urls.l1) }
  const addresses = { ...parentAddresses, multicall3 }
  clients = opStackClientsOver(transports, { chainId: parentChainId, addresses }, account)
  const { parent, parentWallet, rollup } = clients
  const sent = await parentWallet.sendTransaction({ to: parentAddresses.portal, value: parseEther('1') })
  const [arrival = '0x'] = getL2TransactionHashes(await parent.waitForTransactionReceipt({ hash: sent }))
  await rollup.waitForTransactionReceipt({ hash: arrival })
})
afterAll(async () => await world[Symbol.asyncDispose]())

/** Reads between two blocks, so that all results are of the same block. */
async function resting<T>(ask: () => Promise<T>): Promise<T> {
  const { rollup } = clients
  const switched = (method: string) => rpc(world.urls.rpc, method)
  await switched('admin_stopSequencer')
  try {
    while (true) {
      const before = await rollup.getBlockNumber()
      const answers = await ask()
      if ((await rollup.getBlockNumber()) === before) return answers
    }
  } finally {
    await switched('admin_startSequencer')
  }
}

test('the rollup knows its parent block, and the oracle the price there', async () => {
  const { parent, rollup } = clients
  const read = (functionName: 'number' | 'timestamp' | 'basefee' | 'hash' | 'sequenceNumber') =>
    rollup.readContract({ address: l1Block, abi: attributes, functionName })
  const { status, known, baseFee } = await resting(async () => ({
    status: (await rollup.request({ method: 'rollup_syncStatus' } as never)) as Status,
    known: {
      number: await read('number'),
      hash: await read('hash'),
      timestamp: await read('timestamp'),
      baseFeePerGas: await read('basefee'),
      sequence: await read('sequenceNumber'),
    },
    baseFee: await rollup.getL1BaseFee(),
  }))
  const { l1origin, sequenceNumber } = status.unsafe_l2
  const { number, hash, timestamp, baseFeePerGas } = await parent.getBlock({ blockNumber: BigInt(l1origin.number) })
  expect(hash).toBe(l1origin.hash)
  expect(known).toEqual({ number, hash, timestamp, baseFeePerGas, sequence: BigInt(sequenceNumber) })
  expect(baseFee).toBe(baseFeePerGas)
})

test('what a transaction would cost is what it does cost: its gas here, and nothing for its data there', async () => {
  const { parent, rollup, rollupWallet } = clients
  const request = { account, to: somebody, value: 1n, data: toHex('research '.repeat(40)) } as const
  const { total, gas, price, ...parts } = await resting(async () => ({
    l1Fee: await rollup.estimateL1Fee(request),
    operatorFee: await rollup.estimateOperatorFee(request),
    gas: await rollup.estimateGas(request),
    price: await rollup.getGasPrice(),
    total: await rollup.estimateTotalFee(request),
  }))
  expect(parts).toEqual({ l1Fee: 0n, operatorFee: 0n })
  expect(total).toBe(gas * price)
  const before = await rollup.getBalance({ address: account.address })
  const hash = await rollupWallet.sendTransaction({ ...request, gas, gasPrice: price * 2n })
  const receipt = await rollup.waitForTransactionReceipt({ hash })
  const after = await rollup.getBalance({ address: account.address })
  expect(receipt).toMatchObject({ status: 'success', l1Fee: 0n })
  expect(before - after).toBe(request.value + receipt.gasUsed * receipt.effectiveGasPrice)
  expect(receipt.gasUsed).toBeLessThanOrEqual(gas)
  const params = [toHex(receipt.blockNumber)]
  const output = await rollup.request({ method: 'rollup_outputAtBlock', params } as never)
  const { l1origin } = (output as { blockRef: Status['unsafe_l2'] }).blockRef
  const { baseFeePerGas } = await parent.getBlock({ blockNumber: BigInt(l1origin.number) })
  expect(receipt.l1GasPrice).toBe(baseFeePerGas)
})

test("the parent's gas is reckoned by how well the data compresses", async () => {
  const { rollup } = clients
  const gasOf = (data: Uint8Array) => rollup.estimateL1Gas({ account, to: somebody, data: toHex(data) })
  // The minimum is a hundred bytes at sixteen gas each.
  expect(await rollup.estimateL1Gas({ account, to: somebody, value: 1n })).toBe(1_600n)
  expect(await gasOf(new Uint8Array(4_000).fill(7))).toBe(1_600n)
  const [some, twice] = [await gasOf(noise(2_000)), await gasOf(noise(4_000))]
  expect(some).toBeGreaterThan(26_000n)
  expect(twice).toBeGreaterThan((19n * some) / 10n)
  const request = { account, to: somebody, data: toHex(noise(2_000)) } as const
  expect(await rollup.estimateTotalGas(request)).toBe(some + (await rollup.estimateGas(request)))
})

/** Bytes that hardly compress, the same at every call. */
function noise(length: number): Uint8Array {
  let state = 1n
  return Uint8Array.from({ length }, () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n
    return Number(state >> 56n)
  })
}
