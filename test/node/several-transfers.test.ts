import { concat, encodeFunctionData, type Hex, parseAbi, parseEther, toEventSelector } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { getL2TransactionHashes, getWithdrawals } from 'viem/op-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchBridge } from '../../src/domain/node/bridge.ts'
import { bridgeStatusOf } from '../../src/domain/node/bridge-status.ts'
import type { Bridge } from '../../src/domain/ports/bridge.ts'
import { messagePasser } from '../../src/opstack/predeploys.ts'
import { multicall3 } from '../../src/sandbox/deploy/addresses.ts'
import { ownArtifact } from '../../src/sandbox/deploy/artifacts.ts'
import { opStackClients } from '../../src/sandbox/fixtures/op-stack.ts'
import { parentAccount, sendAndMine, temporaryDir, testSandbox, treasury } from '../../src/sandbox/fixtures/testing.ts'
import { isLong } from '../sized.ts'
import { openPair } from './bridge-pair.ts'

const opened = new AsyncDisposableStack()
let world: Awaited<ReturnType<typeof testSandbox>>
let clients: ReturnType<typeof opStackClients>
/** The bridge of the sandbox, and the one that reads nodes over TCP. */
let bridges: Bridge[]

beforeAll(async () => {
  const dir = opened.use(await temporaryDir())
  world = opened.use(await testSandbox(dir.path, { parentBlockTimeSeconds: 1 }))
  clients = opStackClients(world, parentAccount)
  const pair = opened.use(await openPair(world))
  bridges = [world.bridge, await pair.bridge()]
  await sendAndMine(world, treasury, { to: parentAccount.address, value: parseEther('20') })
})
afterAll(() => opened.disposeAsync())

const multicallAbi = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call[] calls) payable',
])
type Call = { target: Hex; value: bigint; callData: Hex }
function together(calls: readonly Call[]) {
  const args = [calls.map((call) => ({ ...call, allowFailure: false }))] as const
  const data = encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3Value', args })
  return { to: multicall3, data, value: calls.reduce((sum, { value }) => sum + value, 0n) }
}
const mined = async (hash: Hex) => {
  const receipt = await clients.parent.waitForTransactionReceipt({ hash, timeout: 120_000 })
  expect(receipt.status).toBe('success')
  return receipt
}

/** What both bridges report, and both the same; a block may lie between their reads. */
async function status(hash: Hex) {
  for (let attempt = 1; ; attempt += 1) {
    const [own, read] = await Promise.all(bridges.map(async (bridge) => bridgeStatusOf(await bridge.facts(hash))))
    if (!own || !read) throw new Error('a bridge is missing')
    if (attempt === 5) expect(steps(read)).toEqual(steps(own))
    if (JSON.stringify(steps(read)) === JSON.stringify(steps(own))) return own
  }
}
const steps = ({ state, next_step, transfers }: ReturnType<typeof bridgeStatusOf>) => ({
  state,
  next_step,
  each: transfers.map((one) => [one.direction, one.amount, one.state, one.next_step, one.l1_tx_hash, one.l2_tx_hash]),
})
const states = ({ transfers }: Awaited<ReturnType<typeof status>>) => transfers.map(({ state }) => state)

const passerAbi = parseAbi(['function initiateWithdrawal(address target, uint256 gasLimit, bytes data) payable'])
const receiver = privateKeyToAccount(generatePrivateKey()).address
/** Reports a message as failed, as a messenger does, where it is called with data. */
const messengerCode = concat([
  '0x602f600c600039602f6000f3',
  '0x36600557005b60007f',
  toEventSelector('FailedRelayedMessage(bytes32)'),
  '0x60006000a200',
])

type Begun = { value: bigint; to?: Hex; data?: Hex }

async function begin(messages: readonly Begun[]) {
  const calls = messages.map(({ value, to = receiver, data = '0x' }) => ({
    target: messagePasser,
    value,
    callData: encodeFunctionData({ abi: passerAbi, args: [to, 100_000n, data] }),
  }))
  const receipt = await clients.rollup.waitForTransactionReceipt({
    hash: await clients.rollupWallet.sendTransaction(together(calls)),
  })
  return { hash: receipt.transactionHash, receipt, withdrawals: getWithdrawals(receipt) }
}

const { abi } = ownArtifact('OptimismPortal')
const claim = (functionName: string, args: readonly unknown[]): Call => ({
  target: world.parent.addresses.portal,
  value: 0n,
  callData: encodeFunctionData({ abi, functionName, args }),
})
type Withdrawal = ReturnType<typeof getWithdrawals>[number]
const finalizing = (withdrawal: Withdrawal | undefined) => claim('finalizeWithdrawalTransaction', [withdrawal])
const finalize = async (...withdrawals: (Withdrawal | undefined)[]) =>
  await mined(await clients.parentWallet.sendTransaction(together(withdrawals.map(finalizing))))

test.runIf(isLong)(
  'each withdrawal of a transaction is followed by itself, whichever succeed, in whatever order',
  async () => {
    const ether = (value: string) => ({ value: parseEther(value) })
    // The parent's oracle takes no ether, so a withdrawal to it fails when it is finalized.
    const failing = (value: string) => ({ value: parseEther(value), to: world.parent.addresses.l2OutputOracle })
    const deployed = await mined(await clients.parentWallet.sendTransaction({ data: messengerCode }))
    const relayed = (value: string, data: Hex) => ({
      value: parseEther(value),
      to: deployed.contractAddress ?? '0x',
      data,
    })
    const two = await begin([ether('0.1'), ether('0.2')])
    const half = await begin([failing('0.3'), ether('0.4')])
    const three = await begin([ether('0.01'), failing('0.02'), ether('0.03')])
    const none = await begin([failing('0.5'), failing('0.6'), failing('0.7')])
    const stranded = await begin([relayed('0.8', '0x'), relayed('0.9', '0x01'), relayed('1', '0x')])
    const all = [two, half, three, stranded, none]

    const begun = await status(three.hash)
    expect(begun).toMatchObject({ state: 'relaying', next_step: 'wait_for_output', transfers_total: 3 })
    expect(begun).toMatchObject({ amount: `${parseEther('0.06')}`, direction: 'withdrawal', l2_tx_hash: three.hash })
    expect(begun.transfers.map(({ withdrawal_hash }) => withdrawal_hash)).toEqual(
      three.withdrawals.map(({ withdrawalHash }) => withdrawalHash),
    )
    expect(begun.transfers.map(({ amount }) => amount)).toEqual(['0.01', '0.02', '0.03'].map((e) => `${parseEther(e)}`))
    expect(begun).not.toHaveProperty('to_address')

    const { output } = await clients.parent.waitToProve({ receipt: none.receipt, targetChain: clients.rollupChain })
    expect(await status(none.hash)).toMatchObject({ state: 'relaying', next_step: 'prove' })
    const prove = async (withdrawals: readonly Withdrawal[]) => {
      const proofs = await Promise.all(
        withdrawals.map((withdrawal) => clients.rollup.buildProveWithdrawal({ output, withdrawal })),
      )
      const calls = proofs.map(({ withdrawal, l2OutputIndex, outputRootProof, withdrawalProof }) =>
        claim('proveWithdrawalTransaction', [withdrawal, l2OutputIndex, outputRootProof, withdrawalProof]),
      )
      return await mined(await clients.parentWallet.sendTransaction(together(calls)))
    }
    // One withdrawal is proven alone, the others in one transaction, whatever transactions began them.
    const alone = await prove(two.withdrawals.slice(0, 1))
    expect(await status(two.hash)).toMatchObject({
      next_step: 'prove',
      transfers: [{ l1_tx_hash: alone.transactionHash }, {}],
    })
    const proof = await prove([...two.withdrawals.slice(1), ...all.slice(1).flatMap(({ withdrawals }) => withdrawals)])
    const proven = await status(proof.transactionHash)
    expect(proven).toMatchObject({ transfers_total: 12, l1_tx_hash: proof.transactionHash })
    expect(new Set(proven.transfers.map(({ l2_tx_hash }) => l2_tx_hash))).toEqual(new Set(all.map(({ hash }) => hash)))
    const last = none.withdrawals.at(-1)?.withdrawalHash ?? '0x'
    await clients.parent.waitToFinalize({ targetChain: clients.rollupChain, withdrawalHash: last })

    const first = await finalize(two.withdrawals[0])
    const paidHalf = await status(two.hash)
    expect(paidHalf).toMatchObject({ state: 'relaying', next_step: 'finalize', amount: `${parseEther('0.3')}` })
    expect(states(paidHalf)).toEqual(['complete', 'relaying'])
    expect(await status(first.transactionHash)).toMatchObject({ state: 'complete', transfers_total: 1 })
    await finalize(two.withdrawals[1])
    const done = await status(two.hash)
    expect(done).toMatchObject({ state: 'complete', next_step: 'none', to_address: receiver.toLowerCase() })
    expect(done).not.toHaveProperty('error')

    // A transaction that tried in vain stands for the withdrawal that it tried.
    const again = finalizing(two.withdrawals[1])
    const vain = await clients.parentWallet.sendTransaction({ to: again.target, data: again.callData, gas: 300_000n })
    await clients.parent.waitForTransactionReceipt({ hash: vain })
    expect(await status(vain)).toMatchObject({ state: 'complete', transfers_total: 1, l2_tx_hash: two.hash })

    const both = await finalize(...half.withdrawals)
    for (const hash of [half.hash, both.transactionHash]) {
      const received = await status(hash)
      expect(received).toMatchObject({ state: 'complete', l2_tx_hash: half.hash, l1_tx_hash: both.transactionHash })
      expect(received.error).toMatch(/^1 of 2 failed/)
      expect(states(received)).toEqual(['failed', 'complete'])
    }
    await finalize(three.withdrawals[2])
    await finalize(three.withdrawals[1])
    const rest = await status(three.hash)
    expect(rest).toMatchObject({
      state: 'relaying',
      next_step: 'finalize',
      error: expect.stringMatching(/^1 of 3 failed/),
    })
    expect(states(rest)).toEqual(['relaying', 'failed', 'complete'])
    await finalize(three.withdrawals[0])
    expect(await status(three.hash)).toMatchObject({
      state: 'complete',
      error: expect.stringMatching(/^1 of 3 failed/),
    })
    await finalize(...none.withdrawals.toReversed())
    expect(await status(none.hash)).toMatchObject({ state: 'failed', error: expect.stringMatching(/^3 of 3 failed/) })
    // Only the message that failed is with the messenger, not the others of the same transaction.
    await finalize(...stranded.withdrawals)
    const kept = await status(stranded.hash)
    expect(states(kept)).toEqual(['complete', 'failed', 'complete'])
    expect(kept.error).toMatch(/^1 of 3 failed.*relayed again/)
    // The hash of a withdrawal, which the sandbox knows, stands for that one.
    expect(bridgeStatusOf(await world.bridge.facts(last))).toMatchObject({
      transfers_total: 1,
      amount: `${parseEther('0.7')}`,
    })
  },
)

const portalAbi = parseAbi([
  'function depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes data) payable',
])
const depositing = (value: bigint, called: bigint, to: Hex = receiver, data: Hex = '0x'): Call => ({
  target: world.parent.addresses.portal,
  value,
  callData: encodeFunctionData({ abi: portalAbi, args: [to, called, 200_000n, false, data] }),
})

test('each deposit of a transaction has its own state, and what its call withdraws is followed too', async () => {
  // More than the sender has on the rollup: the call of this deposit fails.
  const tooMuch = parseEther('1000000')
  const withdraw = encodeFunctionData({ abi: passerAbi, args: [receiver, 100_000n, '0x'] })
  const calls = [
    depositing(parseEther('0.001'), parseEther('0.001')),
    depositing(parseEther('0.2'), tooMuch),
    depositing(parseEther('0.3'), parseEther('0.3'), messagePasser, withdraw),
  ]
  const hash = await clients.parentWallet.sendTransaction(together(calls))
  const controller = new AbortController()
  await mined(hash)
  const watched: { id: string; state: string; transfers: { state: string }[] }[] = []
  const call = { signal: controller.signal, spent: () => {}, fail: () => new Error('not found') }
  const events = await watchBridge({ bridge: world.bridge } as never, { l1_tx_hash: hash }, call as never)
  for await (const event of events as AsyncIterable<(typeof watched)[number]>) {
    watched.push(event)
    if (event.transfers.length === 4) controller.abort()
  }
  const numbers = watched.map(({ id }) => Number(id.replace('deposit:', '')))
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))

  const receipt = await clients.parent.getTransactionReceipt({ hash })
  const arrived = await status(hash)
  expect(arrived).toMatchObject({ direction: 'deposit', state: 'relaying', below_minimum: true, transfers_total: 4 })
  expect(arrived.error).toMatch(/^1 of 4 failed/)
  expect(states(arrived)).toEqual(['complete', 'failed', 'complete', 'relaying'])
  // What the last deposit's call withdraws is not counted again.
  expect(arrived.amount).toBe(`${parseEther('0.501')}`)
  expect(arrived.transfers.map(({ direction }) => direction)).toEqual(['deposit', 'deposit', 'deposit', 'withdrawal'])
  // The hash of one deposit on the rollup stands for that one, with what it withdraws.
  const [plain = '0x', failed = '0x', forced = '0x'] = getL2TransactionHashes(receipt)
  expect(await status(plain)).toMatchObject({ state: 'complete', transfers_total: 1, l2_tx_hash: plain })
  expect(await status(failed)).toMatchObject({ state: 'failed', transfers_total: 1, l2_tx_hash: failed })
  expect(await status(forced)).toMatchObject({ state: 'relaying', transfers_total: 2, l2_tx_hash: forced })
})

test('a status counts all transfers of a transaction and lists the first fifty', async () => {
  const calls = Array.from({ length: 60 }, (_, index) => ({
    target: messagePasser,
    value: BigInt(index),
    callData: encodeFunctionData({ abi: passerAbi, args: [receiver, 21_000n, '0x'] }),
  }))
  const hash = await clients.rollupWallet.sendTransaction(together(calls))
  await clients.rollup.waitForTransactionReceipt({ hash })
  const received = await status(hash)
  expect(received).toMatchObject({ transfers_total: 60, amount: `${(59 * 60) / 2}` })
  expect(received.transfers).toHaveLength(50)
})
