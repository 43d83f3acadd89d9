import { join } from 'node:path'
import { zeroHash } from 'viem'
import { expect, test } from 'vitest'
import { messagePasser } from '../../opstack/predeploys.ts'
import { ledgerFile } from '../deploy/world-file.ts'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { chainId, temporaryDir, treasury } from '../fixtures/testing.ts'
import { signed } from '../pool/pending-pool.ts'
import { attributesDeposit } from './attributes.ts'
import { openLedger } from './ledger.ts'

test('a withdrawal is recorded in a block where a deposit was refused', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const bare = await openBare(dir.path)
  const nonce = Number(await bare.chain.read('eth_getTransactionCount', [treasury.address, 'latest']))
  const raw = await treasury.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    gas: 200_000n,
    to: messagePasser,
    value: 1n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
  })
  const withdrawal = signed(raw, treasury.address, nonce)
  await bare.chain.submit(withdrawal)
  const { number } = await bare.chain.produceBlock(({ number, hash, timestamp }) => {
    const deposit = attributesDeposit({ number, hash, timestamp, baseFee: 7n }, 0)
    return { timestamp: timestamp + 2, deposits: [{ ...deposit, hash: zeroHash }] }
  })
  expect(await bare.chain.read('eth_getBlockByNumber', ['latest', false])).toMatchObject({
    transactions: [withdrawal.hash],
  })
  await bare[Symbol.asyncDispose]()
  const ledger = openLedger(ledgerFile(join(dir.path, 'chain')))
  expect(ledger.withdrawalsBetween(number, number + 1).length).toBe(1)
  ledger.close()
})
