import { expect, test } from 'vitest'
import { callsOnly } from '../fixtures/nodes.ts'
import { readDeployment } from '../public-chain.ts'
import { connect } from './connection.ts'
import { emptyGas } from './gas.ts'

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
