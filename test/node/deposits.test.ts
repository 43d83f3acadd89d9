import { type Address, formatTransactionReceipt } from 'viem'
import { getL2TransactionHashes } from 'viem/op-stack'
import { expect, test } from 'vitest'
import { chain } from '../../src/contract/chain/chain.ts'
import type { NodeObject } from '../../src/domain/ports/node.ts'
import { l1Block } from '../../src/opstack/predeploys.ts'
import { opStackClients } from '../../src/sandbox/fixtures/op-stack.ts'
import { parentAccount, until } from '../../src/sandbox/fixtures/testing.ts'
import { openEmbeddedNode } from './embedded-node.ts'

test('deposits have the fields of deposits: their type, the nonce of their sender, and no fee', async () => {
  await using embedded = await openEmbeddedNode({ parentBlockTimeSeconds: 1 })
  const { world, node } = embedded
  const ask = async (method: string, ...params: unknown[]) =>
    (await node.request(method, params, new AbortController().signal)) as NodeObject | null
  const { parent, parentWallet } = opStackClients(world, parentAccount)
  const deposit = async (to: Address) => {
    const sent = await parentWallet.sendTransaction({ to, value: 10n ** 16n })
    const [hash] = getL2TransactionHashes(await parent.waitForTransactionReceipt({ hash: sent, timeout: 120_000 }))
    await until(async () => (await ask('eth_getTransactionReceipt', hash)) !== null, 'the deposit')
    return hash
  }
  for (const nonce of ['0x0', '0x1']) {
    const hash = await deposit(world.parent.addresses.portal)
    const receipt = await ask('eth_getTransactionReceipt', hash)
    expect(chain.getTransactionReceipt.output.parse(receipt)).toMatchObject({
      type: '0x7e',
      depositNonce: nonce,
      depositReceiptVersion: '0x1',
    })
    expect(receipt).not.toHaveProperty('l1Fee')
    expect(formatTransactionReceipt(receipt as never)).toMatchObject({ status: 'success' })
    const transaction = await ask('eth_getTransactionByHash', hash)
    expect(chain.getTransactionByHash.output.parse(transaction)).toMatchObject({
      type: '0x7e',
      nonce,
      mint: '0x2386f26fc10000',
      gasPrice: '0x0',
    })
    const block = await ask('eth_getBlockByHash', receipt?.blockHash, true)
    const [first, second] = chain.getBlockByHash.output.parse(block)?.transactions ?? []
    for (const answer of [transaction, block]) expect(JSON.stringify(answer)).not.toContain('isSystemTx')
    expect(second).toEqual(chain.getTransactionByHash.output.parse(transaction))
    expect(first).toMatchObject({ type: '0x7e', to: l1Block, mint: '0x0' })
  }

  world.sequencer.stop()
  let attributes: NodeObject | undefined
  let found: NodeObject | null = null
  // The block that is being produced may include it, and the next one starts a moment later.
  await until(async () => {
    const pending = chain.getBlockByNumber.output.parse(await ask('eth_getBlockByNumber', 'pending', true))
    attributes = (pending?.transactions ?? [])[0] as NodeObject | undefined
    found = attributes ? await ask('eth_getTransactionByHash', attributes.hash) : null
    return found?.blockNumber === null
  }, 'the attributes of the next block')
  const fields = { type: '0x7e', to: l1Block, gasPrice: '0x0', r: '0x0' }
  expect(attributes).toMatchObject(fields)
  expect(chain.getTransactionByHash.output.parse(found)).toMatchObject(fields)
})
