import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Hex, numberToHex } from 'viem'
import { getL2TransactionHashes } from 'viem/op-stack'
import { expect, test } from 'vitest'
import { isLong } from '../../test/sized.ts'
import { parentFolder } from './deploy/world-file.ts'
import { callEngine } from './fixtures/call-engine.ts'
import { opStackClients } from './fixtures/op-stack.ts'
import { enginePid, parentAccount, temporaryDir, testSandbox, until } from './fixtures/testing.ts'
import type { Sandbox } from './world.ts'

const settings = { parentBlockTimeSeconds: 1 }

async function deposited(sandbox: Sandbox): Promise<Hex> {
  const { parent, parentWallet, rollup } = opStackClients(sandbox, parentAccount)
  const sent = await parentWallet.sendTransaction({ to: sandbox.parent.addresses.portal, value: 1n })
  const [hash = '0x'] = getL2TransactionHashes(await parent.waitForTransactionReceipt({ hash: sent, timeout: 120_000 }))
  expect((await rollup.waitForTransactionReceipt({ hash, timeout: 120_000 })).status).toBe('success')
  return hash
}

async function hashesOf(request: Sandbox['request'], to: bigint): Promise<unknown[]> {
  const block = async (number: number) =>
    (await request({ method: 'eth_getBlockByNumber', params: [numberToHex(number), false] })) as { hash: Hex } | null
  return await Promise.all(Array.from({ length: Number(to) + 1 }, async (_, number) => (await block(number))?.hash))
}

test('no caller can roll back blocks of either chain', async () => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path, settings)
  const refused = { code: -32601 }
  for (const { request } of [sandbox, sandbox.parent])
    for (const [method, ...params] of [
      ['anvil_reorg', 1, []],
      ['anvil_rollback', 1],
      ['anvil_reset'],
      ['anvil_revert', '0x0'],
      ['anvil_loadState', '0x'],
      ['anvil_mine', 1],
      ['evm_mine'],
      ['evm_snapshot'],
      ['evm_revert', '0x0'],
      ['hardhat_reset'],
      ['hardhat_mine', '0x1'],
      ['debug_setHead', '0x1'],
      ['eth_sendTransaction', { type: '0x7e' }],
    ])
      await expect(request({ method: String(method), params })).rejects.toMatchObject(refused)
})

test.each(['parent', 'rollup'] as const)('an engine of the %s that rolled back is restored', async (which) => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path, settings)
  const { parent, rollup } = opStackClients(sandbox, parentAccount)
  const before = await rollup.getBalance({ address: parentAccount.address })
  const first = await deposited(sandbox)
  const { request } = which === 'parent' ? sandbox.parent : sandbox
  const client = which === 'parent' ? parent : rollup
  const head = await client.getBlockNumber()
  const hashes = await hashesOf(request, head)
  const pid = enginePid(sandbox.events, which)
  await callEngine(pid, 'anvil_reorg', [2, []])
  await until(async () => (await client.getBlockNumber()) > head + 2n, 'blocks')
  expect(enginePid(sandbox.events, which)).not.toBe(pid)
  expect(await hashesOf(request, head)).toEqual(hashes)
  const second = await deposited(sandbox)
  expect(await rollup.getBalance({ address: parentAccount.address })).toBe(before + 2n)
  for (const hash of [first, second]) expect((await rollup.getTransactionReceipt({ hash })).transactionIndex).toBe(1)
  expect(sandbox.events.map(({ type }) => type)).not.toContain('derivation-failed')
})

test.runIf(isLong)('a start fails where the parent lacks an origin, and the error says what to do', async () => {
  await using dir = await temporaryDir()
  const [chains, backup] = [join(dir.path, 'chain'), join(dir.path, 'backup')]
  const first = await testSandbox(dir.path, settings)
  await first[Symbol.asyncDispose]()
  cpSync(parentFolder(chains), backup, { recursive: true })
  const second = await testSandbox(dir.path, settings)
  await deposited(second)
  await second[Symbol.asyncDispose]()
  cpSync(parentFolder(chains), join(dir.path, 'newest'), { recursive: true })

  const restore = (from: string) => {
    rmSync(parentFolder(chains), { recursive: true })
    cpSync(from, parentFolder(chains), { recursive: true })
  }
  restore(backup)
  await expect(testSandbox(dir.path, settings)).rejects.toThrow(
    /no longer has block \d+ .* restore the whole data folder/,
  )
  restore(join(dir.path, 'newest'))
  await using last = await testSandbox(dir.path, settings)
  await deposited(last)
})
