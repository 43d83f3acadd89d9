import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { isLong } from '../../test/sized.ts'
import {
  clientOf,
  collectLines,
  enginePid,
  send,
  sendAndMine,
  temporaryDir,
  testSandbox,
  treasury,
  until,
} from './fixtures/testing.ts'
import { listLogs, listSnapshots, logFile, snapshotFile } from './kit/files.ts'
import type { Sandbox } from './world.ts'

const transfer = { to: treasury.address, value: 1n, gas: 21_000n }

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function allMined(sandbox: Sandbox, hashes: readonly Hex[]): Promise<void> {
  for (const hash of hashes) {
    const receipt = await clientOf(sandbox).waitForTransactionReceipt({ hash, timeout: 120_000 })
    expect(receipt.status).toBe('success')
  }
}

test('a restart has the same head, the old receipts, and the pending transactions', async () => {
  await using dir = await temporaryDir()
  const first = await testSandbox(dir.path)
  const mined = await sendAndMine(first, treasury, transfer)
  first.sequencer.stop()
  await new Promise((resolve) => setTimeout(resolve, 100))
  const waiting = await send(first, treasury, transfer)
  const head = await clientOf(first).getBlock()
  await first[Symbol.asyncDispose]()

  await using second = await testSandbox(dir.path)
  expect((await clientOf(second).getBlock({ blockNumber: head.number })).hash).toBe(head.hash)
  expect((await clientOf(second).getTransactionReceipt({ hash: mined.transactionHash })).blockHash).toBe(
    mined.blockHash,
  )
  await allMined(second, [waiting])
})

test('a killed engine is restored completely, and callers only wait', async () => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path)
  const mined = await sendAndMine(sandbox, treasury, transfer)
  const waiting = await send(sandbox, treasury, transfer)
  const killed = Date.now()
  process.kill(enginePid(sandbox.events), 'SIGKILL')
  expect((await clientOf(sandbox).getTransactionReceipt({ hash: mined.transactionHash })).blockHash).toBe(
    mined.blockHash,
  )
  expect(Date.now() - killed).toBeLessThan(1_500)
  await allMined(sandbox, [waiting])
  await sendAndMine(sandbox, treasury, transfer)
})

test('blocks after a snapshot are replayed, also from a log with an incomplete last line', async () => {
  await using dir = await temporaryDir()
  const first = await testSandbox(dir.path)
  await first[Symbol.asyncDispose]()
  const second = await testSandbox(dir.path)
  const hashes = [await send(second, treasury, transfer), await send(second, treasury, { ...transfer, nonce: 1 })]
  await allMined(second, hashes)
  const head = await clientOf(second).getBlock()
  await second[Symbol.asyncDispose]()

  const chain = join(dir.path, 'chain')
  appendFileSync(logFile(chain, listLogs(chain).at(-1) ?? 0), '{"type":"transaction","hash":"0x12')
  await using third = await testSandbox(dir.path)
  expect(third.events).toContainEqual(expect.objectContaining({ type: 'log-torn-line-dropped' }))
  expect(third.events).toContainEqual(expect.objectContaining({ type: 'chain-restored', snapshot: expect.any(Number) }))
  expect((await clientOf(third).getBlock({ blockNumber: head.number })).hash).toBe(head.hash)
  await allMined(third, hashes)
})

test.runIf(isLong)('a newest snapshot of another chain is skipped for the one before it', async () => {
  await using dir = await temporaryDir()
  const chain = join(dir.path, 'chain')
  const heads: { number: bigint; hash: Hex }[] = []
  for (let round = 0; round < 2; round += 1) {
    const sandbox = await testSandbox(dir.path)
    // Enough blocks for a snapshot at the end.
    const hashes = Array.from({ length: 25 }, (_, index) =>
      send(sandbox, treasury, { ...transfer, nonce: 25 * round + index }),
    )
    await allMined(sandbox, await Promise.all(hashes))
    heads.push(await clientOf(sandbox).getBlock())
    await sandbox[Symbol.asyncDispose]()
  }
  const [newest, older] = listSnapshots(chain)
  if (newest === undefined || older === undefined) throw new Error('two snapshots were to be written')
  copyFileSync(snapshotFile(chain, older), snapshotFile(chain, newest))
  await using sandbox = await testSandbox(dir.path)
  expect(sandbox.events).toContainEqual(expect.objectContaining({ type: 'snapshot-unusable', block: newest }))
  for (const { number, hash } of heads)
    expect((await clientOf(sandbox).getBlock({ blockNumber: number })).hash).toBe(hash)
})

test('a snapshot that cannot be written leaves the chain unchanged, also after a kill', async () => {
  await using dir = await temporaryDir()
  const chain = join(dir.path, 'chain')
  const first = await testSandbox(dir.path)
  await sendAndMine(first, treasury, transfer)
  first.sequencer.stop()
  await new Promise((resolve) => setTimeout(resolve, 100))
  const { number, hash } = await clientOf(first).getBlock()
  // Blocks the temporary file of the next segment.
  mkdirSync(`${logFile(chain, Number(number))}.tmp`)
  await first[Symbol.asyncDispose]()
  expect(listLogs(chain)).not.toContain(Number(number))
  await using second = await testSandbox(dir.path)
  expect((await clientOf(second).getBlock({ blockNumber: number })).hash).toBe(hash)
})

test.runIf(isLong)('a killed gateway loses nothing that it acknowledged, and leaves no engine behind', async () => {
  await using dir = await temporaryDir()
  const acknowledged: Hex[] = []
  for (const milliseconds of [1_700, 900]) {
    const host = spawn(process.execPath, [join(import.meta.dirname, 'fixtures/crash-host.ts'), dir.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const before = acknowledged.length
    collectLines(host, acknowledged)
    await until(() => acknowledged.length > before, 'the first acknowledgement')
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    host.kill('SIGKILL')
    await once(host, 'close')
  }
  expect(acknowledged.length).toBeGreaterThan(20)
  await using sandbox = await testSandbox(dir.path)
  await allMined(sandbox, acknowledged)
  const pid = enginePid(sandbox.events)
  await sandbox[Symbol.asyncDispose]()
  expect(isAlive(pid)).toBe(false)
})
