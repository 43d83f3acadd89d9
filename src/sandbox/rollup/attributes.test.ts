import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { l1Block } from '../../opstack/predeploys.ts'
import { clientOf, enginePid, send, temporaryDir, testSandbox, treasury } from '../fixtures/testing.ts'

test('a block begins with its attributes, also when a full block left transactions pending', async () => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path, { parentBlockTimeSeconds: 2 })
  const client = clientOf(sandbox)
  const sent: Hex[] = []
  // Two of them fill a block: each loops until its gas is used up.
  for (let nonce = 0; nonce < 9; nonce += 1)
    sent.push(await send(sandbox, treasury, { data: '0x5b5f56', nonce, gas: 25_000_000n }))
  const mined = async (hash: Hex) => await client.waitForTransactionReceipt({ hash, timeout: 120_000 })
  await mined(sent[2]!)
  process.kill(enginePid(sandbox.events), 'SIGKILL')
  const receipts = await Promise.all(sent.map(mined))
  const blocks = [...new Set(receipts.map(({ blockNumber }) => blockNumber))]
  expect(blocks.length).toBeGreaterThanOrEqual(5)
  const order: Hex[] = []
  for (const blockNumber of blocks.sort((a, b) => Number(a - b))) {
    const { transactions } = await client.getBlock({ blockNumber })
    const [first, ...others] = transactions
    expect(await client.getTransactionReceipt({ hash: first! })).toMatchObject({ to: l1Block, status: 'success' })
    order.push(...others)
  }
  expect(order.filter((hash) => sent.includes(hash))).toEqual(sent)
  expect(sandbox.events.filter(({ type }) => /refused|dropped/.test(type))).toEqual([])
})
