import { createWalletClient, encodeFunctionData, type Hex, http, keccak256, parseAbi, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { eventsOf, output, refusalOf } from '../clients/client.ts'
import { rpc } from '../clients/rpc-call.ts'
import { openWorld, protocols, type World } from '../world.ts'

/** The first account that every development chain funds. */
const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')

type Call = { target: Hex; allowFailure: boolean; value: bigint; callData: Hex }

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

async function deposit(value: bigint): Promise<Hex> {
  const parent = createWalletClient({ account, transport: http(world.urls.l1) })
  const { result } = await rpc(world.urls.rpc, 'rollup_rollupConfig')
  const { deposit_contract_address: to } = result
  return await parent.sendTransaction({ chain: null, to, value })
}

test('a deposit is watched until it is complete, with the same result over every protocol', async () => {
  const hash = await deposit(parseEther('0.009'))
  const input = { l1_tx_hash: hash }
  const watched = await Promise.all(
    protocols.map((protocol) => eventsOf(world.clients[protocol].stream('chain.watchBridge', input))),
  )
  for (const events of watched) {
    const states = [...new Set(events.map(({ state }) => state))]
    // A block may be mined before the first read.
    expect(['pending', 'relaying', 'complete'].slice(-states.length)).toEqual(states)
    expect(states.length).toBeGreaterThan(1)
    const ids = events.map(({ id }) => id)
    expect([...new Set(ids)].sort()).toEqual(ids)
    expect(ids.at(-1)).toBe('deposit:3')
  }
  const received = await Promise.all(
    protocols.map((protocol) => output(world.clients[protocol].call('chain.bridgeStatus', input))),
  )
  // The reads are at different times, with a possible block between them.
  const still = received.map(({ confirmations: _, ...status }) => status)
  expect(still).toEqual(still.map(() => still[0]))
  expect(still[0]).toMatchObject({
    direction: 'deposit',
    state: 'complete',
    next_step: 'none',
    below_minimum: true,
    amount: parseEther('0.009').toString(),
    l1_tx_hash: hash,
    from_address: account.address.toLowerCase(),
  })
  const there = { l1_tx_hash: still[0].l2_tx_hash }
  const byOther = await output(world.clients.rest.call('chain.bridgeStatus', there))
  expect(byOther).toMatchObject({ ...still[0], confirmations: expect.any(Number) })

  const page = await (await fetch(`${world.urls.http}/explorer/tx/${still[0].l2_tx_hash}`)).text()
  for (const part of ['success', 'Deposited from the parent chain</th><td>0.009 ETH', '/bridge?transfer='])
    expect(page).toContain(part)

  // A reader that reconnects after the last event receives nothing.
  const last = watched[0]?.at(-1).id
  expect(await eventsOf(world.clients.rest.stream('chain.watchBridge', { ...input, last_event_id: last }))).toEqual([])
  for (const protocol of protocols)
    for (const nonsense of ['7', 'deposit:4', 'withdrawal:1', 'deposit:3 '])
      expect(
        await refusalOf(world.clients[protocol].stream('chain.watchBridge', { ...input, last_event_id: nonsense })),
      ).toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ path: 'last_event_id' }] })
})

test('two deposits of one transaction are watched until the last has ended, and shown each', async () => {
  const parent = createWalletClient({ account, transport: http(world.urls.l1) })
  const { deposit_contract_address: portal } = (await rpc(world.urls.rpc, 'rollup_rollupConfig')).result
  const abi = parseAbi([
    'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
    'function aggregate3Value(Call[] calls) payable',
    'function depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes data) payable',
  ])
  // The second transfers more than its sender has there.
  const calls = [parseEther('0.02'), parseEther('1000000')].map((value): Call => {
    const args = [account.address, value, 100_000n, false, '0x'] as const
    const callData = encodeFunctionData({ abi, functionName: 'depositTransaction', args })
    return { target: portal, allowFailure: false, value: parseEther('0.02'), callData }
  })
  const data = encodeFunctionData({ abi, functionName: 'aggregate3Value', args: [calls] })
  const to = '0xcA11bde05977b3631167028862bE2a173976CA11'
  const hash = await parent.sendTransaction({ chain: null, to, data, value: parseEther('0.04') })
  const input = { l1_tx_hash: hash }
  await until(async () => (await world.clients.rest.call('chain.bridgeStatus', input)).ok, 'the transfers')
  const watched = await Promise.all(
    protocols.map((protocol) => eventsOf(world.clients[protocol].stream('chain.watchBridge', input))),
  )
  for (const events of watched)
    expect(events.at(-1)).toMatchObject({
      id: 'deposit:6',
      state: 'complete',
      error: expect.stringMatching(/^1 of 2 failed/),
      amount: parseEther('0.04').toString(),
      transfers_total: 2,
      transfers: [{ state: 'complete' }, { state: 'failed' }],
    })
  const page = await (
    await fetch(`${world.urls.http}/bridge?transfer=${hash}`, { headers: { accept: 'text/html' } })
  ).text()
  for (const part of ['2 bridge transfers', 'Each transfer (2)', '1 of 2 failed', '0.02 ETH'])
    expect(page).toContain(part)
})

test('a hash of no transfer is not found, over every protocol', async () => {
  const input = { l1_tx_hash: keccak256('0x1234') }
  for (const protocol of protocols) {
    const client = world.clients[protocol]
    expect(await client.call('chain.bridgeStatus', input)).toMatchObject({ ok: false, code: 'NOT_FOUND' })
    expect(await refusalOf(client.stream('chain.watchBridge', input))).toMatchObject({ code: 'NOT_FOUND' })
  }
  const response = await fetch(`${world.urls.http}/bridge/api/status/${input.l1_tx_hash}`)
  expect(response.status).toBe(404)
})

test('no method removes blocks of either chain or forges deposits', async () => {
  for (const url of [world.urls.rpc, world.urls.l1 ?? '']) {
    for (const method of [
      'anvil_reorg',
      'anvil_rollback',
      'anvil_setBalance',
      'evm_revert',
      'evm_mine',
      'debug_setHead',
    ])
      expect(await rpc(url, method, '0x1')).toMatchObject({ error: { code: -32601 } })
    expect(await rpc(url, 'eth_sendTransaction', { type: '0x7e', from: account.address })).toMatchObject({
      error: { code: -32601 },
    })
    const forged = await rpc(url, 'eth_sendRawTransaction', `0x7e${'c0'.repeat(60)}`)
    expect([-32602, -32003]).toContain(forged.error?.code)
  }
})
