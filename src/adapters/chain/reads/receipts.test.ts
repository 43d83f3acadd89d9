import { expect, test } from 'vitest'
import { callsOnly } from '../fixtures/nodes.ts'
import { readDeployment } from '../public-chain.ts'
import { connect } from './connection.ts'
import { readReceipt } from './receipts.ts'

const hash = `0x${'11'.repeat(32)}` as const
const receipt = {
  transactionHash: hash,
  blockHash: `0x${'22'.repeat(32)}`,
  blockNumber: '0x7',
  gasUsed: '0x5208',
  status: '0x1',
  logs: [],
}

/** The fee of a transaction by its receipt with these fields. */
async function feeOf(more: object): Promise<bigint | undefined> {
  const request = async ({ method }: { method: string }) =>
    method === 'eth_getTransactionByHash' ? { hash, gasPrice: '0x5' } : { ...receipt, ...more }
  return (await readReceipt(connect(readDeployment(1), callsOnly(request), true), hash))?.feeWei
}

test('the fee is that of the gas and of the parent chain, by the price of the transaction where no receipt has it', async () => {
  expect(await feeOf({ effectiveGasPrice: '0x3' })).toBe(63_000n)
  expect(await feeOf({ effectiveGasPrice: '0x3', l1Fee: '0x7' })).toBe(63_007n)
  expect(await feeOf({})).toBe(105_000n)
})
