import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Client, output, type Refusal } from '../clients/client.ts'
import { rpc } from '../clients/rpc-call.ts'
import { shared } from '../shared.ts'
import { openWorld, protocols, type World } from '../world.ts'

const newAddress = () => privateKeyToAddress(generatePrivateKey())
const paid = '10000000000000000000'

function suite(open: () => Promise<World>): void {
  let world: World
  beforeAll(async () => {
    world = await open()
  })
  afterAll(async () => await world?.[Symbol.asyncDispose]())

  const balance = async (address: string) => BigInt(String(await world.askChain('eth_getBalance', [address, 'latest'])))
  const clients = (): Client[] => protocols.map((protocol) => world.clients[protocol])
  const status = async (client: Client, name: string) =>
    await output(client.call('chain.faucetClaim', { tx_hash: name }))

  test('a hundred claims at once for one address, over every protocol, are one payment', async () => {
    const address = newAddress()
    const spelled = (index: number) => (index % 2 === 0 ? address : address.toLowerCase())
    const asked = Array.from({ length: 100 }, (_, index) =>
      clients()[index % 3]!.call('chain.claimFaucet', { address: spelled(index) }),
    )
    const answers = await Promise.all(asked)
    const won = answers.filter(({ ok }) => ok)
    expect(won).toHaveLength(1)
    const claim = (won[0] as { output: { txHash: string; amount: string; nextClaimTime: string } }).output
    expect(claim).toMatchObject({ success: true, amount: paid, txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    for (const answer of answers.filter(({ ok }) => !ok)) {
      expect(answer).toMatchObject({
        code: 'RATE_LIMITED',
        message: expect.stringMatching(/already claimed/),
        metadata: { next_claim_time: claim.nextClaimTime },
      })
      expect((answer as Refusal).retryAfterSeconds).toBeGreaterThan(86_000)
    }
    for (const client of clients())
      await until(async () => (await status(client, claim.txHash)).status === 'success', 'the payment')
    expect(await balance(address)).toBe(BigInt(paid))
    const [one, two, three] = await Promise.all(clients().map((client) => status(client, claim.txHash)))
    expect([two, three]).toEqual([one, one])
  })

  test('while no block is made a claim is pending, by hash and by id, and paid once they are', async () => {
    const admin = async (method: string) => await rpc(world.urls.rpc, method)
    const { rest, grpc } = world.clients
    const address = newAddress()
    expect(await admin('admin_stopSequencer')).toHaveProperty('result')
    const claim = await output(rest.call('chain.claimFaucet', { address }))
    expect(claim).toMatchObject({ success: true, status: 'pending' })
    for (const name of [claim.txHash, claim.claimId])
      expect(await status(grpc, name)).toMatchObject({ status: 'pending', txHash: claim.txHash, address })
    expect(await balance(address)).toBe(0n)
    await admin('admin_startSequencer')
    await until(async () => (await status(rest, claim.claimId)).status === 'success', 'the payment')
    expect(await balance(address)).toBe(BigInt(paid))
  })

  test('the zero address is paid nothing, however it is asked for', async () => {
    const zero = `0x${'0'.repeat(40)}`
    for (const client of clients())
      expect(await client.call('chain.claimFaucet', { address: zero })).toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining('address: is the zero address'),
      })
    const form = { method: 'POST', body: new URLSearchParams({ address: zero }), headers: { accept: 'text/html' } }
    expect(await (await fetch(`${world.urls.http}/faucet`, form)).text()).toContain('The address is the zero address')
    // The tips of blocks are there.
    expect(await balance(zero)).toBeLessThan(BigInt(paid))
  })

  test('a claim that was never made is not found', async () => {
    for (const client of clients())
      for (const tx_hash of [`0x${'00'.repeat(32)}`, crypto.randomUUID()])
        expect(await client.call('chain.faucetClaim', { tx_hash })).toMatchObject({
          ok: false,
          code: 'NOT_FOUND',
        })
  })
}

describe('the faucet on SQLite', () => suite(() => openWorld()))

describe('the faucet on PostgreSQL', () =>
  suite(async () => await openWorld({ DATABASE_URL: await shared('database') })))
