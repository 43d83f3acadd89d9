import {
  concat,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  parseEther,
  type TransactionReceipt,
  toEventSelector,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { extractTransactionDepositedLogs, getL2TransactionHash, getL2TransactionHashes } from 'viem/op-stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bridgeStatusOf } from '../domain/node/bridge-status.ts'
import { l1Block } from '../opstack/predeploys.ts'
import { opStackClients } from './fixtures/op-stack.ts'
import { parentAccount, send, temporaryDir, testSandbox, treasury, until, user } from './fixtures/testing.ts'

let dir: Awaited<ReturnType<typeof temporaryDir>>
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let clients: ReturnType<typeof opStackClients>

beforeAll(async () => {
  dir = await temporaryDir()
  sandbox = await testSandbox(dir.path, { parentBlockTimeSeconds: 1 })
  clients = opStackClients(sandbox, parentAccount)
})
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

const mined = (hash: Hex) => clients.parent.waitForTransactionReceipt({ hash, timeout: 120_000 })
const arrived = (receipt: TransactionReceipt, index = 0) =>
  clients.rollup.waitForTransactionReceipt({ hash: getL2TransactionHashes(receipt)[index] ?? '0x', timeout: 120_000 })
const status = async (hash: Hex) => {
  const facts = await sandbox.bridge.facts(hash)
  return facts.length === 0 ? null : bridgeStatusOf(facts)
}

describe('a deposit', () => {
  test("by viem's depositTransaction arrives with the hash that viem predicts, and its value", async () => {
    const receiver = privateKeyToAccount(generatePrivateKey()).address
    const request = { gas: 50_000n, mint: parseEther('1.5'), value: parseEther('0.4'), to: receiver }
    const before = await clients.rollup.getBalance({ address: parentAccount.address })
    const nonce = await clients.parent.getTransactionCount({ address: parentAccount.address })
    const toRollup = { request, gas: 200_000n, targetChain: clients.rollupChain }
    const hash = await clients.parentWallet.depositTransaction({ ...toRollup, nonce: nonce + 1 })
    expect(await status(hash)).toMatchObject({
      state: 'pending',
      next_step: 'wait_for_inclusion',
      amount: `${request.mint}`,
    })
    // A missing nonce delayed it: no parent block could contain it while its status was read.
    await clients.parentWallet.sendTransaction({ to: parentAccount.address, nonce })
    const receipt = await mined(hash)
    const done = await arrived(receipt)
    expect(done).toMatchObject({ status: 'success', transactionIndex: 1 })
    expect(await clients.rollup.getBalance({ address: receiver })).toBe(request.value)
    expect(await clients.rollup.getBalance({ address: parentAccount.address })).toBe(before + parseEther('1.1'))
    const expected = {
      direction: 'deposit',
      state: 'complete',
      below_minimum: false,
      next_step: 'none',
      l1_tx_hash: hash,
      l2_tx_hash: done.transactionHash,
      l1_block_number: Number(receipt.blockNumber),
      l2_block_number: Number(done.blockNumber),
      from_address: parentAccount.address.toLowerCase(),
      to_address: receiver.toLowerCase(),
    }
    expect(await status(hash)).toMatchObject(expected)
    expect(await status(done.transactionHash)).toMatchObject(expected)
  })

  test('comes before pending transactions, several of one sender in order', async () => {
    sandbox.sequencer.stop()
    const waiting = await send(sandbox, treasury, { to: user.address, value: 1n, gas: 21_000n })
    let nonce = await clients.parent.getTransactionCount({ address: parentAccount.address })
    const sent = ['0.001', '0.002', '0.003'].map((mint) =>
      clients.parentWallet.depositTransaction({
        request: { gas: 50_000n, mint: parseEther(mint), to: user.address },
        targetChain: clients.rollupChain,
        gas: 200_000n,
        nonce: nonce++,
      }),
    )
    const receipts = await Promise.all((await Promise.all(sent)).map(mined))
    const parentHead = await clients.parent.getBlockNumber()
    await until(async () => (await clients.parent.getBlockNumber()) > parentHead + 1n, 'parent blocks')
    expect(await status(receipts[0]?.transactionHash ?? '0x')).toMatchObject({ state: 'relaying', below_minimum: true })
    sandbox.sequencer.start()
    const hashes = receipts.flatMap((receipt) => getL2TransactionHashes(receipt))
    const { blockNumber } = await clients.rollup.waitForTransactionReceipt({ hash: hashes[0] ?? '0x' })
    const block = await clients.rollup.getBlock({ blockNumber })
    const [attributes, ...others] = block.transactions
    expect(others).toEqual([...hashes, waiting])
    expect(await clients.rollup.getTransaction({ hash: attributes ?? '0x' })).toMatchObject({ to: l1Block })
  })

  test('whose call fails keeps its minted value, and has the status failed', async () => {
    const poor = privateKeyToAccount(generatePrivateKey())
    const fund = await send(sandbox, treasury, { to: poor.address, value: 5n, gas: 21_000n })
    await clients.rollup.waitForTransactionReceipt({ hash: fund })
    const hash = await clients.parentWallet.depositTransaction({
      request: { gas: 50_000n, mint: 7n, value: parseEther('1000000'), to: poor.address },
      targetChain: clients.rollupChain,
    })
    const before = await clients.rollup.getBalance({ address: parentAccount.address })
    const done = await arrived(await mined(hash))
    expect(done.status).toBe('reverted')
    expect(await clients.rollup.getBalance({ address: parentAccount.address })).toBe(before + 7n)
    expect(await status(hash)).toMatchObject({ state: 'failed', error: expect.stringContaining('with the sender') })
  })

  test('by a plain transfer to the portal goes to its sender', async () => {
    const hash = await clients.parentWallet.sendTransaction({ to: sandbox.parent.addresses.portal, value: 11n })
    const receipt = await mined(hash)
    const [log] = extractTransactionDepositedLogs(receipt)
    if (!log) throw new Error('nothing was deposited')
    expect(await arrived(receipt)).toMatchObject({ status: 'success', transactionHash: getL2TransactionHash({ log }) })
  })

  test('is not replaced by a transaction of its sender', async () => {
    const sender = user
    const fund = await send(sandbox, treasury, { to: sender.address, value: parseEther('1'), gas: 21_000n })
    await clients.rollup.waitForTransactionReceipt({ hash: fund })
    const there = await clients.parentWallet.sendTransaction({ to: sender.address, value: parseEther('1') })
    await mined(there)
    sandbox.sequencer.stop()
    const wallet = opStackClients(sandbox, sender).parentWallet
    const hash = await wallet.depositTransaction({
      request: { gas: 50_000n, mint: 3n, to: treasury.address },
      targetChain: clients.rollupChain,
    })
    const receipt = await mined(hash)
    const own = await send(sandbox, sender, { to: treasury.address, value: 1n, gas: 21_000n })
    const parentHead = await clients.parent.getBlockNumber()
    await until(async () => (await clients.parent.getBlockNumber()) > parentHead + 1n, 'parent blocks')
    sandbox.sequencer.start()
    expect((await arrived(receipt)).status).toBe('success')
    // The deposit has used the nonce, as it would on any rollup.
    await until(() => sandbox.events.some((e) => e.type === 'transaction-dropped' && e.hash === own), 'the loser')
  })

  test('creates a contract, and is refused by the portal where the rollup could not run it', async () => {
    const create = (data: Hex, gas: bigint) =>
      clients.parentWallet.depositTransaction({
        request: { gas, isCreation: true, data },
        targetChain: clients.rollupChain,
      })
    // Returns one zero byte as the contract's code.
    const hash = await create('0x60016000f3', 200_000n)
    const { contractAddress } = await arrived(await mined(hash))
    expect(await clients.rollup.getCode({ address: contractAddress ?? '0x' })).toBe('0x00')
    expect(await status(hash)).toMatchObject({ state: 'complete', to_address: contractAddress?.toLowerCase() })
    const broken = await create('0xfe', 200_000n)
    await arrived(await mined(broken))
    const refused = await status(broken)
    expect(refused).toMatchObject({ state: 'failed' })
    expect(refused).not.toHaveProperty('to_address')
    await expect(create(`0x${'00'.repeat(49_153)}`, 10_000_000n)).rejects.toThrow('creation code too large')
    await expect(create('0x00', 21_000n)).rejects.toThrow('gas limit too small')
    await expect(create('0x00', 20_000_001n)).rejects.toThrow('all the gas there is')
  })

  test('whose message could not be delivered has failed, and belongs to the accounts in the message', async () => {
    const topic = toEventSelector('FailedRelayedMessage(bytes32)')
    // A contract that reports a failed message at every call.
    const data = concat(['0x6029600c60003960296000f3', '0x60007f', topic, '0x60006000a200'])
    const create = { request: { gas: 200_000n, isCreation: true, data }, targetChain: clients.rollupChain } as const
    const made = await arrived(await mined(await clients.parentWallet.depositTransaction(create)))
    const abi = parseAbi(['function relayMessage(uint256, address, address, uint256, uint256, bytes) payable'])
    const args = [1n, treasury.address, user.address, 5n, 100_000n, '0x1234'] as const
    const request = {
      gas: 100_000n,
      mint: 5n,
      to: made.contractAddress ?? '0x',
      data: encodeFunctionData({ abi, args }),
    }
    const hash = await clients.parentWallet.depositTransaction({ request, targetChain: clients.rollupChain })
    expect((await arrived(await mined(hash))).status).toBe('success')
    expect(await status(hash)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('relayed again'),
      from_address: treasury.address.toLowerCase(),
      to_address: user.address.toLowerCase(),
    })
  })

  test('cannot be sent by a client of the rollup', async () => {
    const forged = sandbox.request({ method: 'eth_sendRawTransaction', params: [`0x7e${'c0'.repeat(60)}`] })
    await expect(forged).rejects.toMatchObject({ code: -32003 })
    const sent = sandbox.request({ method: 'eth_sendTransaction', params: [{ type: '0x7e' }] })
    await expect(sent).rejects.toMatchObject({ code: -32601 })
  })
})

test('an unknown hash has no facts', async () => {
  expect(await status(keccak256('0x1234'))).toBeNull()
  const plain = await send(sandbox, treasury, { to: user.address, value: 1n, gas: 21_000n })
  expect(await status(plain)).toBeNull()
})
