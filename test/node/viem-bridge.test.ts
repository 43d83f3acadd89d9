import { http, parseEther, type TransactionReceipt } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { getL2TransactionHashes, getWithdrawals } from 'viem/op-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { multicall3 } from '../../src/sandbox/deploy/addresses.ts'
import { opStackClientsOver } from '../../src/sandbox/fixtures/op-stack.ts'
import { parentAccount } from '../../src/sandbox/fixtures/testing.ts'
import { parentAddresses, parentChainId } from '../../src/sandbox/rollup/parameters.ts'
import { output } from '../clients/client.ts'
import { isLong } from '../sized.ts'
import { openWorld, type World } from '../world.ts'

let world: World
let clients: ReturnType<typeof opStackClientsOver>
beforeAll(async () => {
  world = await openWorld({}, undefined, { blockTimeSeconds: 1, parentBlockTimeSeconds: 1 })
  const transports = { rollup: http(world.urls.rpc), parent: http(world.urls.l1) }
  const parent = { chainId: parentChainId, addresses: { ...parentAddresses, multicall3 } }
  clients = opStackClientsOver(transports, parent, parentAccount)
})
afterAll(async () => await world[Symbol.asyncDispose]())

const bridged = (hash: string) => output(world.clients.rest.call('chain.bridgeStatus', { l1_tx_hash: hash }))

/** Deposits funds of a parent account by viem's actions. */
async function deposit(value: bigint, to = parentAccount.address): Promise<TransactionReceipt> {
  const { parent, parentWallet, rollup } = clients
  const request = await rollup.buildDepositTransaction({ account: parentAccount, mint: value, value, to })
  expect(await parent.estimateDepositTransactionGas(request as never)).toBeGreaterThan(21_000n)
  const hash = await parentWallet.depositTransaction(request)
  const receipt = await parent.waitForTransactionReceipt({ hash })
  const [l2Hash = '0x'] = getL2TransactionHashes(receipt)
  return await rollup.waitForTransactionReceipt({ hash: l2Hash })
}

test('the gateway names the address of the portal, and each chain returns its own id', async () => {
  const { parent, rollup } = clients
  const config = await rollup.request({ method: 'rollup_rollupConfig' } as never)
  expect(config).toMatchObject({ deposit_contract_address: parentAddresses.portal, l1_chain_id: parentChainId })
  expect([await parent.getChainId(), await rollup.getChainId()]).toEqual([parentChainId, 84_532])
  // The parent chain may stand at its genesis still when the gateway is ready.
  await expect.poll(() => parent.getBlockNumber({ cacheTime: 0 }), { timeout: 120_000 }).toBeGreaterThan(0n)
  expect(await parent.getBlock({ includeTransactions: true })).toMatchObject({ transactions: expect.any(Array) })
  expect(await parent.getCode({ address: parentAddresses.portal })).toMatch(/^0x60/)
  expect(await parent.getFeeHistory({ blockCount: 2, rewardPercentiles: [10, 90] })).toMatchObject({
    reward: expect.any(Array),
  })
})

test('a deposit built and sent by viem arrives with its money, under the hash that viem computed', async () => {
  const receiver = privateKeyToAccount(generatePrivateKey()).address
  const receipt = await deposit(parseEther('0.25'), receiver)
  expect(receipt).toMatchObject({ status: 'success', type: '0x7e' })
  expect(await clients.rollup.getBalance({ address: receiver })).toBe(parseEther('0.25'))
  expect(await clients.rollup.getTransaction({ hash: receipt.transactionHash })).toMatchObject({
    type: 'deposit',
    mint: parseEther('0.25'),
  })
  expect(await bridged(receipt.transactionHash)).toMatchObject({ direction: 'deposit', state: 'complete' })
})

test.runIf(isLong)('a withdrawal is proven and paid by the actions of viem', async () => {
  const { parent, parentWallet, rollup, rollupChain: targetChain, rollupWallet } = clients
  await deposit(parseEther('2'))
  const to = privateKeyToAccount(generatePrivateKey()).address
  const request = await parent.buildInitiateWithdrawal({ account: parentAccount, to, value: parseEther('1') })
  expect(await rollup.estimateInitiateWithdrawalGas(request as never)).toBeGreaterThan(21_000n)
  const hash = await rollupWallet.initiateWithdrawal(request)
  const receipt = await rollup.waitForTransactionReceipt({ hash })
  const about = { receipt, targetChain }
  expect(getWithdrawals(receipt)).toMatchObject([{ target: to, value: parseEther('1') }])
  expect(await parent.getWithdrawalStatus(about)).toBe('waiting-to-prove')
  expect((await parent.getTimeToProve(about)).seconds).toBeLessThan(120)

  const { output: proposed, withdrawal } = await parent.waitToProve(about)
  const proof = await rollup.buildProveWithdrawal({ account: parentAccount, output: proposed, withdrawal })
  expect(await parent.estimateProveWithdrawalGas(proof)).toBeGreaterThan(50_000n)
  const proven = await parent.waitForTransactionReceipt({ hash: await parentWallet.proveWithdrawal(proof) })
  expect(proven.status).toBe('success')
  expect(await parent.getWithdrawalStatus(about)).toBe('waiting-to-finalize')
  const { withdrawalHash } = withdrawal
  expect((await parent.getTimeToFinalize({ targetChain, withdrawalHash })).seconds).toBeLessThanOrEqual(20)

  await parent.waitToFinalize({ targetChain, withdrawalHash })
  const paid = await parent.waitForTransactionReceipt({
    hash: await parentWallet.finalizeWithdrawal({ targetChain, withdrawal }),
  })
  expect(paid.status).toBe('success')
  expect(await parent.getBalance({ address: to })).toBe(parseEther('1'))
  expect(await parent.getWithdrawalStatus(about)).toBe('finalized')
  expect(await bridged(hash)).toMatchObject({ direction: 'withdrawal', state: 'complete' })
})
