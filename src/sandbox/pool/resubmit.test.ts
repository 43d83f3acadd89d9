import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { chainId, temporaryDir, treasury } from '../fixtures/testing.ts'
import type { ChainEvent } from '../kit/events.ts'
import { signed } from './pending-pool.ts'
import { budget } from './resubmit.ts'

test('what the engine drops is offered again ever more seldom, and little of it before one block', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const events: ChainEvent[] = []
  await using bare = await openBare(dir.path, (event) => events.push(event))
  // The next block is begun by then, so that nothing is offered again for the sake of its deposit.
  await bare.produceBlock()
  // It costs nothing, so that nothing but its fee keeps it out of the blocks.
  for (let count = 0; count < 100; count += 1) {
    const stranger = privateKeyToAccount(generatePrivateKey())
    const fields = { type: 'eip1559', chainId, nonce: 0, gas: 21_000n, to: treasury.address } as const
    const raw = await stranger.signTransaction({ ...fields, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n })
    await bare.chain.submit(signed(raw, stranger.address, 0))
  }
  const engine = bare.engine()
  const { call } = engine
  let offers = 0
  engine.call = (method, ...rest) => {
    if (method === 'eth_sendRawTransaction') offers += 1
    return call(method, ...rest)
  }
  const perBlock: number[] = []
  while (bare.chain.pendingCount() > 0) {
    offers = 0
    await bare.produceBlock()
    perBlock.push(offers)
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
}, 60_000)
