import { encodeFunctionData, type Hex, keccak256, parseAbi, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { getL2TransactionHashes } from 'viem/op-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bridgeStatusOf } from '../../src/domain/node/bridge-status.ts'
import type { Bridge } from '../../src/domain/ports/bridge.ts'
import { callEngine } from '../../src/sandbox/fixtures/call-engine.ts'
import { opStackClients } from '../../src/sandbox/fixtures/op-stack.ts'
import {
  enginePid,
  parentAccount,
  sendAndMine,
  temporaryDir,
  testSandbox,
  treasury,
} from '../../src/sandbox/fixtures/testing.ts'
import { isLong } from '../sized.ts'
import { answering } from './answering.ts'
import { openPair, type Pair } from './bridge-pair.ts'

const opened = new AsyncDisposableStack()
let world: Awaited<ReturnType<typeof testSandbox>>
let clients: ReturnType<typeof opStackClients>
let pair: Pair
let bridge: Bridge

beforeAll(async () => {
  const dir = opened.use(await temporaryDir())
  world = opened.use(await testSandbox(dir.path, { parentBlockTimeSeconds: 1 }))
  clients = opStackClients(world, parentAccount)
  pair = opened.use(await openPair(world))
  bridge = await pair.bridge()
})
afterAll(() => opened.disposeAsync())

const status = async (hash: Hex, of = bridge) => {
  const facts = await of.facts(hash)
  return facts.length === 0 ? null : bridgeStatusOf(facts)
}
/** Sends until a transfer is reported as pending; a block may be faster. */
async function seenWaiting(sendOne: () => Promise<Hex>, of = bridge) {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const hash = await sendOne()
    const received = await status(hash, of)
    if (received?.state === 'pending') return { hash, received }
  }
  throw new Error('no transfer was seen waiting')
}
const mined = (hash: Hex) => clients.parent.waitForTransactionReceipt({ hash, timeout: 120_000 })
const refusal = (of: Bridge) =>
  of.facts(keccak256('0x12')).then(
    () => null,
    ({ code, message }) => `${code}: ${message}`,
  )

test('a deposit is tracked from chain to chain, by either hash, also without a rollup node', async () => {
  const portal = world.parent.addresses.portal
  const modest = await pair.bridge({ ROLLUP_RPC_URL: '', L1_PORTAL_ADDRESS: portal })
  world.sequencer.stop()
  const { hash, received } = await seenWaiting(() =>
    clients.parentWallet.sendTransaction({ to: portal, value: parseEther('0.009') }),
  )
  expect(received).toMatchObject({ direction: 'deposit', next_step: 'wait_for_inclusion', below_minimum: true })
  const receipt = await mined(hash)
  const relaying = { direction: 'deposit', state: 'relaying', next_step: 'wait_for_rollup', below_minimum: true }
  for (const each of [bridge, modest]) expect(await status(hash, each)).toMatchObject(relaying)
  world.sequencer.start()
  const [there = '0x'] = getL2TransactionHashes(receipt)
  const done = await clients.rollup.waitForTransactionReceipt({ hash: there, timeout: 120_000 })
  const complete = {
    direction: 'deposit',
    state: 'complete',
    next_step: 'none',
    below_minimum: true,
    amount: `${parseEther('0.009')}`,
    l1_tx_hash: hash,
    l2_tx_hash: there,
    l1_block_number: Number(receipt.blockNumber),
    l2_block_number: Number(done.blockNumber),
  }
  for (const either of [hash, there]) expect(await status(either)).toMatchObject(complete)
  // Without a rollup node, the L1-attributes deposit names the parent block.
  for (const either of [hash, there]) expect(await status(either, modest)).toMatchObject(complete)
})

test('a deposit fails where it reverts, on either chain', async () => {
  const portal = world.parent.addresses.portal
  const refused = await clients.parentWallet.sendTransaction({ to: portal, value: 1n, gas: 22_000n })
  await mined(refused)
  expect(await status(refused)).toMatchObject({ state: 'failed', error: expect.stringContaining('parent chain') })
  const poor = await clients.parentWallet.depositTransaction({
    request: { gas: 50_000n, mint: 7n, value: parseEther('1000000'), to: treasury.address },
    targetChain: clients.rollupChain,
  })
  const [there = '0x'] = getL2TransactionHashes(await mined(poor))
  await clients.rollup.waitForTransactionReceipt({ hash: there, timeout: 120_000 })
  expect(await status(poor)).toMatchObject({ state: 'failed', error: expect.stringContaining('with the sender') })
})

test.runIf(isLong)('a withdrawal is followed to its payment, by each of its hashes', async () => {
  await sendAndMine(world, treasury, { to: parentAccount.address, value: parseEther('20') })
  const to = privateKeyToAccount(generatePrivateKey()).address
  const amount = parseEther('0.5')
  const { hash, received: waiting } = await seenWaiting(() =>
    clients.rollupWallet.initiateWithdrawal({ request: { gas: 100_000n, to, value: amount } }),
  )
  const begun = { direction: 'withdrawal', to_address: to.toLowerCase(), amount: `${amount}`, below_minimum: false }
  expect(waiting).toMatchObject({ ...begun, next_step: 'wait_for_inclusion' })
  const receipt = await clients.rollup.waitForTransactionReceipt({ hash })
  expect(await status(hash)).toMatchObject({ ...begun, state: 'relaying', next_step: 'wait_for_output' })
  const about = { receipt, targetChain: clients.rollupChain }
  const { output, withdrawal } = await clients.parent.waitToProve(about)
  expect(await status(hash)).toMatchObject({ ...begun, next_step: 'prove' })
  const args = await clients.rollup.buildProveWithdrawal({ account: parentAccount, output, withdrawal })
  const proof = await mined(await clients.parentWallet.proveWithdrawal(args))
  for (const each of [hash, proof.transactionHash])
    expect(await status(each)).toMatchObject({
      ...begun,
      next_step: 'wait_for_maturity',
      l1_tx_hash: proof.transactionHash,
      l2_tx_hash: hash,
    })
  await clients.parent.waitToFinalize({ targetChain: clients.rollupChain, withdrawalHash: withdrawal.withdrawalHash })
  expect(await status(hash)).toMatchObject({ next_step: 'finalize' })
  const paid = await mined(
    await clients.parentWallet.finalizeWithdrawal({ targetChain: clients.rollupChain, withdrawal }),
  )
  for (const each of [hash, proof.transactionHash, paid.transactionHash])
    expect(await status(each)).toMatchObject({ ...begun, state: 'complete', l1_tx_hash: paid.transactionHash })
  // The portal's state decides the stage: where the parent's node cannot search logs, only the transaction is missing.
  const { parent } = pair.doors
  parent.instead = (method, response) => method === 'eth_getLogs' && response.destroy()
  const received = await status(hash)
  parent.instead = null
  expect(received).toMatchObject({ ...begun, state: 'complete' })
  expect(received).not.toHaveProperty('l1_tx_hash')
})

test('a hash that belongs to no transfer is not found', async () => {
  expect(await bridge.facts(keccak256('0x1234'))).toEqual([])
  const plain = await sendAndMine(world, treasury, { to: treasury.address, value: 1n })
  expect(await bridge.facts(plain.transactionHash)).toEqual([])
})

test('a node that is silent, and a setting that is missing or wrong, are named', async () => {
  expect(await refusal(await pair.bridge({ L1_RPC_URL: '' }))).toMatch(/^UNIMPLEMENTED: .*L1_RPC_URL/)
  const hash = await clients.parentWallet.sendTransaction({ to: world.parent.addresses.portal, value: 1n })
  const received = async (settings: Record<string, string>) =>
    await status(hash, await pair.bridge(settings)).catch(({ code, message }) => `${code}: ${message}`)
  expect(await received({ ROLLUP_RPC_URL: '' })).toMatch(/^UNIMPLEMENTED: .*ROLLUP_RPC_URL.*/)
  const nowhere = { L1_PORTAL_ADDRESS: `0x${'5'.repeat(40)}` }
  expect(await received(nowhere)).toMatch(/^UNAVAILABLE: .*no portal at .*L1_PORTAL_ADDRESS/)
  expect(await received({ L1_RPC_URL: pair.doors.chain.url })).toMatch(/L1_RPC_URL serves chain 84532.*chain 900/)
  for (const [name, setting] of [
    ['parent', 'L1_RPC_URL'],
    ['chain', 'CHAIN_RPC_URL'],
    ['rollup', 'ROLLUP_RPC_URL'],
  ] as const) {
    const fresh = await pair.bridge()
    pair.doors[name].instead = (_, response) => response.destroy()
    const answer = await status(hash, fresh).catch(({ code, message }) => `${code}: ${message}`)
    pair.doors[name].instead = null
    expect(answer).toBe(`UNAVAILABLE: The node of ${setting} does not respond. Try again in a few seconds.`)
  }
})

test('a watcher receives each step until the transfer is complete', async () => {
  const hash = await clients.parentWallet.sendTransaction({ to: world.parent.addresses.portal, value: 1n })
  const leaving = new AbortController()
  const states = new Set<string>()
  for await (const _ of bridge.ticks(leaving.signal)) {
    const { state } = (await status(hash)) ?? {}
    if (state) states.add(state)
    if (state === 'complete') leaving.abort()
  }
  expect([...states].at(-1)).toBe('complete')
})

test('a deposit by way of the standard bridge is known before its block has it, and as failed', async () => {
  // A contract of the parent that refuses every call.
  const refusing = `0x${'b1'.repeat(20)}` as const
  const named = { 'function OTHER_BRIDGE() view returns (address)': refusing }
  const standardBridge = '0x4200000000000000000000000000000000000010'
  await callEngine(enginePid(world.events), 'anvil_setCode', [standardBridge, answering(named)])
  await callEngine(enginePid(world.events, 'parent'), 'anvil_setCode', [refusing, '0x5f5ffd'])
  const fresh = await pair.bridge()
  const abi = parseAbi(['function bridgeETHTo(address, uint32, bytes) payable'])
  const data = encodeFunctionData({ abi, args: [treasury.address, 200_000, '0x'] })
  const value = parseEther('0.2')
  const { hash, received } = await seenWaiting(
    () => clients.parentWallet.sendTransaction({ to: refusing, data, value, gas: 100_000n }),
    fresh,
  )
  const known = { direction: 'deposit', to_address: treasury.address.toLowerCase(), amount: `${value}` }
  expect(received).toMatchObject({ ...known, next_step: 'wait_for_inclusion' })
  await mined(hash)
  expect(await status(hash, fresh)).toMatchObject({ ...known, state: 'failed' })
})
