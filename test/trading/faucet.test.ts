import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/core/errors.ts'
import type { Chain } from '../../src/domain/ports/chains.ts'
import type { Ports } from '../../src/domain/ports/index.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { chainsWith } from './broken.ts'
import { openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
beforeAll(async () => {
  world = await openTradingWorld()
})
afterEach(() => void world.failures.splice(0))
afterAll(async () => await world.close())

type Claim = { success: boolean; txHash: string; claimId: string; status: string; nextClaimTime: string }
type ClaimStatus = { status: string; txHash: string; nextClaimTime?: string; error?: string }

let addresses = 0
const newAddress = () => `0x${(++addresses).toString(16).padStart(40, '5a')}` as const
const claim = async (address: string) => (await world.call<Claim>('chain.claimFaucet', 0, { address })).output
const statusOf = async (name: string) =>
  (await world.call<ClaimStatus>('chain.faucetClaim', 0, { tx_hash: name })).output
const balance = async (address: `0x${string}`) => (await world.chain.balances(address, [])).native
const paid = 10n ** 19n

const dead = async () => {
  throw new DomainError('UNAVAILABLE', 'the process died here')
}

const points: [string, string, (ports: Ports) => Partial<Ports>][] = [
  ['before it has a transaction', 'queued', ({ outbox }) => ({ outbox: { ...outbox, reserve: dead } })],
  ['before it is marked', 'pending', ({ faucetClaims }) => ({ faucetClaims: { ...faucetClaims, markSent: dead } })],
  ['before it is signed', 'queued', ({ signer }) => ({ signer: { ...signer, sign: dead } })],
  ['before the node has it', 'pending', (ports) => ({ chains: chainsWith(ports, () => ({ broadcast: dead })) })],
]
test.each(points)('a claim whose process ended %s is paid once by the next process', async (_where, status, change) => {
  await world.breakAt(change)
  const address = newAddress()
  const claimed = await claim(address)
  expect(claimed).toMatchObject({ success: true, status })
  expect(await statusOf(claimed.claimId)).toMatchObject({ status, txHash: claimed.txHash })
  await expect(claim(address)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  await world.restart()
  await until(async () => (await statusOf(claimed.claimId)).status === 'success', 'the payment')
  const { txHash } = await statusOf(claimed.claimId)
  expect(await statusOf(txHash)).toMatchObject({ status: 'success', nextClaimTime: claimed.nextClaimTime })
  await until(async () => (await world.ports.faucetClaims.queued(world.chain.info.id)).length === 0, 'the mark')
  expect(await balance(address)).toBe(paid)
})

test('an address with a wrong checksum is refused, and delays no other claim', async () => {
  await expect(claim('0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266')).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { violations: [{ path: 'address', message: expect.stringContaining('checksum') }] },
  })
  const next = newAddress()
  await claim(next)
  await until(async () => (await balance(next)) === paid, 'the payment')
})

test('claims wait while the chain does not respond, and are paid without a restart once it does', async () => {
  let away = true
  const { chain } = world
  const awayChain = {
    nonce: async (...parameters: Parameters<Chain['nonce']>) =>
      away ? await dead() : await chain.nonce(...parameters),
  }
  await world.breakAt((ports) => ({ chains: chainsWith(ports, () => awayChain) }))
  await world.resume()
  const address = newAddress()
  expect(await claim(address)).toMatchObject({ success: true, status: 'queued', txHash: '' })
  away = false
  await until(async () => (await balance(address)) === paid, 'the payment')
  await world.restart()
})

test('a payment that the chain refuses is reported, and the address may claim again at once', async () => {
  const refuse = async () => {
    throw new DomainError('TRANSACTION_REJECTED', 'insufficient funds')
  }
  await world.breakAt((ports) => ({ chains: chainsWith(ports, () => ({ broadcast: refuse })) }))
  const address = newAddress()
  const before = Date.now()
  const refusal = (await claim(address).catch((error: unknown) => error)) as DomainError
  expect(refusal).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(/nothing was paid/) })
  const { next_claim_time: next = '', claim_id: id = '' } = refusal.details.metadata ?? {}
  expect(Date.parse(next)).toBeGreaterThanOrEqual(before)
  expect(await statusOf(id)).toMatchObject({ status: 'failed', error: expect.stringMatching(/insufficient funds/) })
  expect(await statusOf(id)).not.toHaveProperty('nextClaimTime')
  await world.restart()
  expect(await claim(address)).toMatchObject({ success: true })
  await until(async () => (await balance(address)) === paid, 'the payment')
})

test('a chain without a treasury has no faucet', async () => {
  await world.breakAt(({ signer }) => ({ signer: { ...signer, treasury: null } }))
  await expect(claim(newAddress())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await world.restart()
})

test('a claim whose payment is delayed is returned as queued, and paid later', async () => {
  const turn = Promise.withResolvers<void>()
  await world.breakAt(({ outbox, faucetSettings }) => {
    const reserve: typeof outbox.reserve = (request) => turn.promise.then(() => outbox.reserve(request))
    return { outbox: { ...outbox, reserve }, faucetSettings: { ...faucetSettings, waitMs: 50 } }
  })
  await world.resume()
  const claims = await Promise.all(
    [newAddress(), newAddress()].map(async (address) => [address, await claim(address)] as const),
  )
  turn.resolve()
  for (const [address, answer] of claims) {
    expect(answer).toMatchObject({ success: true, status: 'queued', txHash: '' })
    await until(async () => (await statusOf(answer.claimId)).status === 'success', 'the payment')
    expect(await balance(address)).toBe(paid)
  }
  await world.restart()
})
