import { encodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import { tokenAbi } from '../deploy/abis.ts'
import { addresses } from '../deploy/addresses.ts'
import { clientOf, temporaryDir, testSandbox, treasury, until, user } from '../fixtures/testing.ts'

test('the pending state of a read has what its sender sent before', async () => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path)
  const client = clientOf(sandbox)
  sandbox.sequencer.stop()
  const nonce = await client.getTransactionCount({ address: treasury.address, blockTag: 'pending' })
  const sends = async (index: number, transaction: object) => {
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
    const fields = { type: 'eip1559', nonce: nonce + index, gas: 100_000n, ...fees, ...transaction }
    const raw = await treasury.signTransaction({ ...fields, chainId: await client.getChainId() } as never)
    await sandbox.request({ method: 'eth_sendRawTransaction', params: [raw] })
  }
  const approve = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [user.address, 5n] })
  await sends(0, { to: addresses.weth, data: '0xd0e30db0', value: 7n })
  await sends(1, { to: addresses.weth, data: approve })
  const balanceOf = encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [treasury.address] })
  const balance = async (block: string, from?: string) =>
    BigInt(
      (await sandbox.request({
        method: 'eth_call',
        params: [{ to: addresses.weth, data: balanceOf, from }, block],
      })) as string,
    )
  const latest = await balance('latest')
  expect(await balance('pending')).toBe(latest + 7n)
  expect(await balance('pending', treasury.address)).toBe(latest + 7n)
  expect(await balance('pending', user.address)).toBe(latest)
  // A spender's transfer works only with the approval, which waits.
  const transfer = {
    to: addresses.weth,
    from: treasury.address,
    data: encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [user.address, latest + 7n] }),
  }
  expect(Number(await sandbox.request({ method: 'eth_estimateGas', params: [transfer] }))).toBeGreaterThan(21_000)
  await expect(sandbox.request({ method: 'eth_estimateGas', params: [transfer, 'latest'] })).rejects.toMatchObject({
    code: 3,
  })
  sandbox.sequencer.start()
  await until(async () => (await balance('latest')) === latest + 7n, 'the deposit')
  expect(await balance('pending')).toBe(latest + 7n)
})
