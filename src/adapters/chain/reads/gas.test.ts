import { expect, test } from 'vitest'
import { callsOnly } from '../fixtures/nodes.ts'
import { readDeployment } from '../public-chain.ts'
import { connect } from './connection.ts'
import { emptyGas, typicalGas, usualGas } from './gas.ts'

const account = `0x${'a1'.repeat(20)}` as const

/** The gas limit of an empty transaction where the node returns this estimate. */
async function limitWhere(estimate: () => string): Promise<bigint> {
  const request = async ({ method }: { method: string }) => (method === 'eth_estimateGas' ? estimate() : '0x1')
  return await emptyGas(connect(readDeployment(10), callsOnly(request), true), account)
}

function refuse(code: number, message: string): never {
  throw Object.assign(new Error(message), { code })
}

test('an empty transaction has the gas that its chain counts, with room where that varies, and never less than 21,000', async () => {
  expect(await limitWhere(() => '0x5208')).toBe(21_000n)
  expect(await limitWhere(() => '0x1')).toBe(21_000n)
  expect(await limitWhere(() => '0x9c40')).toBe(48_000n)
})

test('a response without a number leads to the usual gas, and a silent node is called again', async () => {
  expect(await limitWhere(() => refuse(3, 'execution reverted'))).toBe(21_000n)
  await expect(limitWhere(() => refuse(-32_002, 'the chain engine is restarting, try again'))).rejects.toThrow()
})

test('typical gas includes that of the data on Arbitrum, by one read, and one read tells that a chain is another', async () => {
  const route = { venue: 'uniswap_v3', tokens: [], feePips: [500], pools: [account] } as const
  const added = async (answer: string) => {
    let reads = 0
    const request = async ({ method }: { method: string }) => {
      if (method !== 'eth_call') return { number: '0x1', hash: account, timestamp: '0x1', transactions: [] }
      reads += 1
      return answer
    }
    const gas = typicalGas(connect(readDeployment(42_161), callsOnly(request), false))
    const found = [await gas(route), await gas(route)]
    return [...found.map((each) => each - usualGas(route)), reads]
  }
  const word = (number: number) => number.toString(16).padStart(64, '0')
  expect(await added(`0x${word(7_000)}${word(1)}${word(2)}`)).toEqual([7_000n, 7_000n, 1])
  expect(await added('0x')).toEqual([0n, 0n, 1])
})
