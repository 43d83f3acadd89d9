import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { getL2TransactionHashes } from 'viem/op-stack'
import { expect, test } from 'vitest'
import { isLong } from '../../test/sized.ts'
import { contract } from '../contract/index.ts'
import { opStackClients } from './fixtures/op-stack.ts'
import { enginePid, parentAccount, temporaryDir, testSandbox, until } from './fixtures/testing.ts'
import type { Sandbox } from './world.ts'

const settings = { parentBlockTimeSeconds: 1 }

async function deposit(sandbox: Sandbox): Promise<Hex> {
  const clients = opStackClients(sandbox, parentAccount)
  const hash = await clients.parentWallet.sendTransaction({ to: sandbox.parent.addresses.portal, value: 1n })
  const receipt = await clients.parent.waitForTransactionReceipt({ hash, timeout: 120_000 })
  return getL2TransactionHashes(receipt)[0] ?? '0x'
}

test('heads stay in order, follow the parent, and never go back', async () => {
  await using dir = await temporaryDir()
  const first = await testSandbox(dir.path, settings)
  const started = first.heads()
  expect(started.safe.number).toBeLessThanOrEqual(started.latest.number)
  let before = started
  const watch = (sandbox: Sandbox) => () => {
    const heads = sandbox.heads()
    for (const tag of ['latest', 'safe', 'finalized'] as const)
      expect(heads[tag].number).toBeGreaterThanOrEqual(before[tag].number)
    before = heads
    const { latest, safe, finalized } = heads
    return finalized.number > started.finalized.number && safe.number > finalized.number && latest.number > safe.number
  }
  await until(watch(first), 'the finalized head')
  const status = contract.chain.rollupSyncStatus.output.parse(await first.rollup.syncStatus())
  expect(status.head_l1.number).toBeGreaterThan(status.safe_l1.number)
  expect(status.safe_l1.number).toBeGreaterThan(status.finalized_l1.number)
  expect(status.safe_l2.l1origin?.number).toBeLessThanOrEqual(status.head_l1.number - 4)
  expect(status.finalized_l2.l1origin?.number).toBeLessThanOrEqual(status.finalized_l1.number - 4)
  expect(status.current_l1.number).toBe(status.unsafe_l2.l1origin?.number)
  contract.chain.rollupRollupConfig.output.parse(await first.rollup.config())
  const output = await first.rollup.outputAt(before.safe.number)
  contract.chain.rollupOutputAtBlock.output.parse(output)
  await first[Symbol.asyncDispose]()

  await using second = await testSandbox(dir.path, settings)
  watch(second)()
  expect(await second.rollup.outputAt(BigInt(status.safe_l2.number))).toMatchObject({ blockRef: status.safe_l2 })
  const finalized = before.finalized.number
  await until(() => watch(second)() && before.finalized.number > finalized, 'more')
})

test.runIf(isLong)('no deposit is lost when an engine of either chain is killed', async () => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path, settings)
  const { rollup } = opStackClients(sandbox, parentAccount)
  for (const chain of ['parent', 'rollup'] as const) {
    const before = await rollup.getBalance({ address: parentAccount.address })
    const hash = await deposit(sandbox)
    process.kill(enginePid(sandbox.events, chain), 'SIGKILL')
    expect((await rollup.waitForTransactionReceipt({ hash, timeout: 120_000 })).status).toBe('success')
    const another = await deposit(sandbox)
    expect((await rollup.waitForTransactionReceipt({ hash: another, timeout: 120_000 })).status).toBe('success')
    expect(await rollup.getBalance({ address: parentAccount.address })).toBe(before + 2n)
  }
})

test.runIf(isLong)('a gateway that is killed during deposits includes each of them once', async () => {
  await using dir = await temporaryDir()
  const sent: Hex[] = []
  for (const milliseconds of [3_300, 2_100, 2_700]) {
    const host = spawn(process.execPath, [join(import.meta.dirname, 'fixtures/crash-host.ts'), dir.path, 'deposits'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const before = sent.length
    host.stdout.on('data', (chunk: Buffer) => sent.push(...(chunk.toString().trim().split('\n') as Hex[])))
    await until(() => sent.length > before, 'the first deposit')
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    host.kill('SIGKILL')
    await once(host, 'close')
  }
  expect(sent.length).toBeGreaterThan(50)

  await using sandbox = await testSandbox(dir.path, settings)
  const { parent, rollup } = opStackClients(sandbox, parentAccount)
  let newest = 0
  for (const hash of sent) {
    const receipt = await parent.waitForTransactionReceipt({ hash, timeout: 120_000 })
    const [there] = getL2TransactionHashes(receipt)
    const arrived = await rollup.waitForTransactionReceipt({ hash: there ?? '0x', timeout: 120_000 })
    expect(arrived.status).toBe('success')
    expect(Number(arrived.blockNumber)).toBeGreaterThanOrEqual(newest)
    newest = Number(arrived.blockNumber)
  }
  // The last one may have been accepted without a response.
  const count = BigInt(await parent.getTransactionCount({ address: parentAccount.address }))
  expect(count - BigInt(sent.length)).toBeLessThanOrEqual(3n)
  const balance = async () => await rollup.getBalance({ address: parentAccount.address })
  await until(async () => (await balance()) >= count, 'the deposit without a response')
  expect(await balance()).toBe(count)
})
