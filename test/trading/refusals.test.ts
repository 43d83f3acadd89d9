import { parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { refusalOf } from '../../src/adapters/node/errors/refusals.ts'
import { anvilChainId, startAnvil } from '../node/anvil.ts'

const rich = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const poor = privateKeyToAccount(`0x${'99'.repeat(32)}`)

test('what the engine itself says is understood', async () => {
  await using anvil = await startAnvil()
  const kindOf = async (change: object, account = rich) => {
    const usual = { type: 'eip1559', chainId: anvilChainId, nonce: 1, gas: 21_000n, to: poor.address } as const
    const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: 1n }
    const raw = await account.signTransaction({ ...usual, ...fees, ...change })
    return await anvil.call('eth_sendRawTransaction', raw).then(
      () => 'taken',
      (error: Error) => refusalOf(error.message)?.kind ?? 'known',
    )
  }
  expect(await kindOf({ nonce: 0 })).toBe('taken')
  expect(await kindOf({ nonce: 0 })).toBe('known')
  expect(await kindOf({ nonce: 0, value: 1n })).toBe('replacement_underpriced')
  await anvil.mine()
  expect(await kindOf({ nonce: 0, value: 2n })).toBe('nonce_too_low')
  expect(await kindOf({ nonce: 0 }, poor)).toBe('insufficient_funds')
  expect(await kindOf({ maxFeePerGas: 2n })).toBe('fee_below_base_fee')
  expect(await kindOf({ gas: 20_000n })).toBe('gas_too_low')
  expect(await kindOf({ gas: 10n ** 12n })).toBe('gas_too_high')
  expect(await kindOf({ chainId: 5 })).toBe('wrong_chain')
})
