import { type Hex, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { getWithdrawals } from 'viem/op-stack'
import { expect, test } from 'vitest'
import { isLong } from '../../test/sized.ts'
import { bridgeStatusOf } from '../domain/node/bridge-status.ts'
import { messagePasser } from '../opstack/predeploys.ts'
import { ownArtifact } from './deploy/artifacts.ts'
import { opStackClients } from './fixtures/op-stack.ts'
import { parentAccount, send, sendAndMine, temporaryDir, testSandbox, treasury } from './fixtures/testing.ts'
import { parentAddresses } from './rollup/parameters.ts'

const settings = { parentBlockTimeSeconds: 1 }
const amount = parseEther('2')
const { abi } = ownArtifact('OptimismPortal')

test.runIf(isLong)("withdrawals are proven and paid by viem's actions, also long afterwards", async () => {
  await using dir = await temporaryDir()
  const first = await testSandbox(dir.path, settings)
  let sandbox: typeof first = first
  let clients = opStackClients(sandbox, parentAccount)
  const mined = async (hash: Hex) => clients.parent.waitForTransactionReceipt({ hash, timeout: 120_000 })
  const status = async (hash: Hex) => {
    const facts = await sandbox.bridge.facts(hash)
    return facts.length === 0 ? null : bridgeStatusOf(facts)
  }

  await sendAndMine(sandbox, treasury, { to: parentAccount.address, value: parseEther('5') })
  // More entries in the trie, so that proofs have more than one node.
  const others = await Promise.all(
    Array.from({ length: 24 }, (_, nonce) =>
      send(sandbox, treasury, { to: messagePasser, value: 1n, nonce: nonce + 1 }),
    ),
  )
  const receiver = privateKeyToAccount(generatePrivateKey()).address
  sandbox.sequencer.stop()
  const hash = await clients.rollupWallet.initiateWithdrawal({
    request: { gas: 100_000n, to: receiver, value: amount },
  })
  expect(await status(hash)).toMatchObject({
    direction: 'withdrawal',
    state: 'pending',
    to_address: receiver.toLowerCase(),
  })
  sandbox.sequencer.start()
  const receipt = await clients.rollup.waitForTransactionReceipt({ hash })
  const about = { receipt, targetChain: clients.rollupChain }
  expect(await clients.parent.getWithdrawalStatus(about)).toBe('waiting-to-prove')
  expect(await status(hash)).toMatchObject({ state: 'relaying', next_step: 'wait_for_output', below_minimum: false })

  const { output, withdrawal } = await clients.parent.waitToProve(about)
  const { withdrawalHash } = withdrawal
  expect(await status(hash)).toMatchObject({ state: 'relaying', next_step: 'prove', amount: `${amount}` })
  expect(await sandbox.rollup.outputAt(output.l2BlockNumber)).toMatchObject({ outputRoot: output.outputRoot })
  const inTime = await clients.rollup.buildProveWithdrawal({ account: parentAccount, output, withdrawal })

  // The new engine does not have the state of the output's block.
  await sandbox[Symbol.asyncDispose]()
  await using second = await testSandbox(dir.path, settings)
  sandbox = second
  clients = opStackClients(sandbox, parentAccount)
  const late = await clients.rollup.buildProveWithdrawal({ account: parentAccount, output, withdrawal })
  expect({ ...late, targetChain: null }).toEqual({ ...inTime, targetChain: null })

  type Proof = Pick<typeof late, 'withdrawal' | 'l2OutputIndex' | 'outputRootProof' | 'withdrawalProof'>
  const attempt = ({ withdrawal: w, l2OutputIndex, outputRootProof, withdrawalProof }: Proof) =>
    clients.parent.simulateContract({
      address: parentAddresses.portal,
      abi,
      functionName: 'proveWithdrawalTransaction',
      args: [w, l2OutputIndex, outputRootProof, withdrawalProof],
    })
  for (const other of others.slice(0, 6)) {
    const [message] = getWithdrawals(await clients.rollup.getTransactionReceipt({ hash: other }))
    if (!message) throw new Error('no withdrawal')
    await attempt(await clients.rollup.buildProveWithdrawal({ output, withdrawal: message }))
  }
  await expect(attempt({ ...late, withdrawal: { ...withdrawal, value: amount + 1n } })).rejects.toThrow('TrieProof')
  await expect(attempt({ ...late, withdrawalProof: late.withdrawalProof.slice(0, -1) })).rejects.toThrow('TrieProof')
  for (const forged of bitFlips(late.withdrawalProof)) {
    await expect(attempt({ ...late, withdrawalProof: forged })).rejects.toThrow('reverted')
  }
  const falseRoot = { ...late.outputRootProof, messagePasserStorageRoot: output.outputRoot }
  await expect(attempt({ ...late, outputRootProof: falseRoot })).rejects.toThrow('not what was proposed')

  const proven = await mined(await clients.parentWallet.proveWithdrawal(late))
  expect(proven.status).toBe('success')
  expect(await status(hash)).toMatchObject({ next_step: 'wait_for_maturity', l1_tx_hash: proven.transactionHash })
  const pay = () => clients.parentWallet.finalizeWithdrawal({ targetChain: clients.rollupChain, withdrawal })
  await expect(pay()).rejects.toThrow('not matured')

  await clients.parent.waitToFinalize({ targetChain: clients.rollupChain, withdrawalHash })
  expect(await clients.parent.getWithdrawalStatus(about)).toBe('ready-to-finalize')
  expect(await status(hash)).toMatchObject({ next_step: 'finalize' })
  const paid = await mined(await pay())
  expect(await clients.parent.getBalance({ address: receiver })).toBe(amount)
  expect(await clients.parent.getWithdrawalStatus(about)).toBe('finalized')
  await expect(pay()).rejects.toThrow('already been finalized')
  for (const either of [hash, paid.transactionHash, proven.transactionHash])
    expect(await status(either)).toMatchObject({
      state: 'complete',
      l2_tx_hash: hash,
      l1_tx_hash: paid.transactionHash,
    })
})

/** Copies of a proof, each with one flipped bit, spread over all its bytes. */
function bitFlips(proof: readonly Hex[]): Hex[][] {
  return proof.flatMap((node, at) => {
    const bytes = (node.length - 2) / 2
    return Array.from({ length: 8 }, (_, step) => {
      const digit = 2 + 2 * Math.floor((step * bytes) / 8)
      const turned = (Number.parseInt(node[digit] ?? '0', 16) ^ 1).toString(16)
      return proof.with(at, `${node.slice(0, digit)}${turned}${node.slice(digit + 1)}` as Hex)
    })
  })
}
