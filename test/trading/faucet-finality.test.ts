import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hex } from '../../src/domain/ports/chains.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { openPublicTradingWorld, type PublicTradingWorld } from './public-world.ts'

let world: PublicTradingWorld
beforeAll(async () => {
  world = await openPublicTradingWorld()
})
afterAll(async () => await world.close())

type Claim = { txHash: Hex; claimId: string }
type ClaimStatus = { status: string; txHash: string; nextClaimTime?: string; error?: string }

const claim = async (address: string) => (await world.call<Claim>('chain.claimFaucet', 0, { address })).output
const statusOf = async (name: string) =>
  (await world.call<ClaimStatus>('chain.faucetClaim', 0, { tx_hash: name })).output

/** Makes every block so far final. */
const finalize = async () => await world.anvil.call('anvil_mine', '0x80')

test('a payment that was mined and failed counts as a claim until its block is final', async () => {
  await world.anvil.call('evm_setIntervalMining', 0)
  const noTaker = world.token('USDC') // its code rejects payments
  const { claimId } = await claim(noTaker)
  await world.anvil.mine()
  await until(async () => (await statusOf(claimId)).status === 'failed', 'the refusal')
  const refused = await statusOf(claimId)
  expect(refused.error).toMatch(/rejected the payment\. The address may claim again once the failure is final/)
  await expect(claim(noTaker)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    details: { metadata: { next_claim_time: refused.nextClaimTime, limit: 'address' } },
  })
  await finalize()
  await until(async () => (await statusOf(claimId)).error?.includes('claim again now') === true, 'the end of the claim')
  expect(await statusOf(claimId)).not.toHaveProperty('nextClaimTime')
  expect(await claim(noTaker)).toMatchObject({ success: true })
})

test('a payment is found by its hash after its transaction was purged', async () => {
  const { txHash, claimId } = await claim(`0x${'5b'.repeat(20)}`)
  await world.anvil.mine()
  await until(async () => (await statusOf(txHash)).status === 'success', 'the payment')
  await finalize()
  const before = await statusOf(txHash)
  const later = new Date(Date.now() + 3_600_000)
  const forgotten = async () => {
    await world.ports.outbox.purge(later, 100)
    return (await world.ports.outbox.byHash(txHash)) === null
  }
  await until(forgotten, 'the purge')
  expect(await statusOf(txHash)).toEqual(before)
  expect(before).toMatchObject({ status: 'success', txHash, claimId })
})
