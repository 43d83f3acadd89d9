import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { chainId, temporaryDir, treasury } from '../fixtures/testing.ts'
import type { ChainEvent } from '../kit/events.ts'
import { signed } from './pending-pool.ts'
import { budget } from './resubmit.ts'

test('dropped transactions are resubmitted at growing intervals, and few before one block', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const events: ChainEvent[] = []
  await using bare = await openBare(dir.path, (event) => events.push(event))
  // The next block is prepared now, so that nothing is resubmitted for its deposit.
  await bare.produceBlock()
  // They cost nothing, so that only their fee keeps them out of blocks.
  for (let count = 0; count < 100; count += 1) {
    const stranger = privateKeyToAccount(generatePrivateKey())
    const fields = { type: 'eip1559', chainId, nonce: 0, gas: 21_000n, to: treasury.address } as const
    const raw = await stranger.signTransaction({ ...fields, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n })
    await bare.chain.submit(signed(raw, stranger.address, 0))
  }
  const engine = bare.engine()
  const { call } = engine
  let submissions = 0
  engine.call = (method, ...rest) => {
    if (method === 'eth_sendRawTransaction') submissions += 1
    return call(method, ...rest)
  }
  const perBlock: number[] = []
  while (bare.chain.pendingCount() > 0) {
    submissions = 0
    await bare.produceBlock()
    perBlock.push(submissions)
  }
  expect(Math.max(...perBlock)).toBe(budget.transactions)
  expect(perBlock.reduce((sum, each) => sum + each, 0)).toBe(8 * 100)
  expect(perBlock.length).toBeGreaterThan(255)
  expect(events.filter((event) => event.type === 'transaction-dropped').map(({ reason }) => reason)).toEqual(
    Array.from({ length: 100 }, () => 'could not be executed'),
  )
  const [mined] = await bare.send(1)
  await bare.produceBlock()
  expect(await bare.chain.read('eth_getTransactionReceipt', [mined])).toMatchObject({ status: '0x1' })
})
