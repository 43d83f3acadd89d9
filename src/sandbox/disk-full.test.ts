import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Hex, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { l1Block } from '../opstack/predeploys.ts'
import { buildFolder, openBare } from './fixtures/bare-chain.ts'
import type { Command, HostMessage } from './fixtures/disk-host.ts'
import { temporaryDir, treasury, until } from './fixtures/testing.ts'
import { listLogs, logFile } from './kit/files.ts'
import type { Head } from './log/records.ts'

/** A chain whose files can be limited in size. */
async function hostChain(dataDir: string) {
  const host = fork(join(import.meta.dirname, 'fixtures/disk-host.ts'), [dataDir])
  const events: string[] = []
  const waiting: ((message: HostMessage) => void)[] = []
  host.on('message', (message: HostMessage) => {
    if ('event' in message) events.push(message.event)
    else waiting.shift()?.(message)
  })
  const folder = join(dataDir, 'chain')
  const limit = (bytes: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(host.pid), `--fsize=${bytes}:unlimited`])
  await until(() => events.includes('ready'), 'the chain')
  return {
    events,
    run: async (command: Command): Promise<unknown> => {
      const message = await new Promise<HostMessage>((resolve) => {
        waiting.push(resolve)
        host.send(command)
      })
      if ('failure' in message) throw new Error(message.failure)
      return 'result' in message ? message.result : undefined
    },
    /** Keeps every file from growing beyond the length of the log plus `spare` bytes. */
    fill: (spare: number) => limit(statSync(logFile(folder, listLogs(folder).at(-1) ?? 0)).size + spare),
    empty: () => limit('unlimited'),
    [Symbol.asyncDispose]: async () => {
      host.kill('SIGKILL')
      if (host.exitCode === null && host.signalCode === null) await once(host, 'exit')
    },
  }
}

type Read = (method: string, ...params: unknown[]) => Promise<unknown>

/** Expects the gas price for the block after this one. */
async function expectPriceAfter(read: Read, block: Hex): Promise<void> {
  const { baseFeePerGas } = (await read('eth_feeHistory', '0x1', block, [])) as { baseFeePerGas: Hex[] }
  const tip = (await read('eth_maxPriorityFeePerGas')) as Hex
  expect(BigInt((await read('eth_gasPrice')) as Hex)).toBe(BigInt(baseFeePerGas.at(-1) ?? '0x0') + BigInt(tip))
}

/** Expects that no read shows a block or its transaction, even if the engine has it. */
async function expectUntold(read: Read, block: number, transaction: unknown): Promise<void> {
  const id = numberToHex(block)
  expect(await read('eth_getBlockReceipts', id)).toBeNull()
  expect(await read('eth_getBlockReceipts', { blockNumber: id })).toBeNull()
  expect(await read('eth_getBlockTransactionCountByNumber', id)).toBeNull()
  expect(await read('eth_getTransactionByBlockNumberAndIndex', id, '0x0')).toBeNull()
  expect(await read('eth_getLogs', { fromBlock: id, toBlock: id })).toEqual([])
  const before = numberToHex(block - 1)
  const logs = await read('eth_getLogs', { fromBlock: before, toBlock: before })
  expect(logs).not.toEqual([])
  expect(await read('eth_getLogs', { fromBlock: before, toBlock: 'pending' })).toEqual(logs)
  const padded = numberToHex(block, { size: 8 })
  await expect(read('eth_getBalance', treasury.address, padded)).rejects.toThrow('header not found')
  await expect(read('eth_feeHistory', '0x1', id, [])).rejects.toThrow('header not found')
  await expectPriceAfter(read, before)
  const balance = await read('eth_getBalance', treasury.address, before)
  for (const tag of ['latest', 'pending']) expect(await read('eth_getBalance', treasury.address, tag)).toBe(balance)
  const tracer = { tracer: 'callTracer' }
  await expect(read('debug_traceBlockByNumber', id, tracer)).rejects.toThrow('header not found')
  await expect(read('debug_traceTransaction', transaction, tracer)).rejects.toThrow('transaction not found')
}

/** With the first sizes not even a transaction fits; with the last everything fits except the store's part of a block. */
const spares = [10, 2_000]

test.runIf(process.platform === 'linux').each(spares)(
  'a chain whose files may grow by %i bytes accepts nothing, can be read, and goes on when there is room',
  async (spare) => {
    await using dir = await temporaryDir()
    await buildFolder(dir.path)
    const acknowledged: unknown[] = []
    let head: Head
    {
      await using host = await hostChain(dir.path)
      const { run, events } = host
      const read = (method: string, ...params: unknown[]) => run({ do: 'read', method, params })
      const send = async () => acknowledged.push(await run({ do: 'send' }))
      const produce = async () => (await run({ do: 'produceBlock' })) as Head
      await send()
      head = await produce()
      await send()
      const newest = acknowledged.at(-1)
      const balance = await read('eth_getBalance', treasury.address, 'latest')

      host.fill(spare)
      if (spare < 100) await expect(send()).rejects.toThrow('it accepts no transactions: free some space and try again')
      for (let attempt = 0; attempt < 3; attempt += 1) await expect(produce()).rejects.toThrow()
      await expect(send()).rejects.toThrow('it accepts no transactions: free some space and try again')
      await expect(run({ do: 'snapshot' })).rejects.toThrow()
      // Only logged blocks may be visible.
      const receipt = await read('eth_getTransactionReceipt', newest)
      if (spare < 100) expect(receipt).toBeNull()
      const { blockNumber } = (await read('eth_getTransactionByHash', newest)) as { blockNumber: Hex | null }
      expect(blockNumber).toBe((receipt as { blockNumber: Hex } | null)?.blockNumber ?? null)
      const block = await read('eth_getBlockByNumber', numberToHex(head.number + 1), false)
      expect(block === null).toBe(receipt === null)
      expect((await read('eth_getBalance', treasury.address, 'latest')) === balance).toBe(receipt === null)
      // A call that returns the balance at the default block.
      const balanceCall = { data: `0x73${treasury.address.slice(2)}315f5260205ff3` }
      expect(BigInt(String(await read('eth_call', balanceCall))) === BigInt(String(balance))).toBe(receipt === null)
      expect(await read('eth_estimateGas', { to: treasury.address })).toBe('0x5208')
      if (receipt === null) await expectUntold(read, head.number + 1, newest)
      expect(await read('eth_getBlockByNumber', 'latest', false)).not.toBeNull()
      // The newest block is complete, and its logs are those of its receipts.
      const latest = await read('eth_blockNumber')
      const receipts = (await read('eth_getBlockReceipts', latest)) as { transactionHash: Hex; logs: unknown[] }[]
      expect(await read('eth_getLogs', { fromBlock: latest })).toEqual(receipts.flatMap(({ logs }) => logs))
      expect(receipts.some(({ transactionHash }) => transactionHash === newest)).toBe(receipt !== null)
      const pending = (await read('eth_getBlockByNumber', 'pending', false)) as { parentHash: Hex } | null
      expect(pending?.parentHash).toBe(receipt === null ? undefined : (block as { hash: Hex }).hash)

      host.empty()
      const next = await produce()
      expect(next).toMatchObject({ number: head.number + 1, parentHash: head.hash })
      await expectPriceAfter(read, numberToHex(next.number))
      expect(await read('eth_getTransactionReceipt', newest)).toMatchObject({ status: '0x1' })
      await send()
      head = await produce()
      const expected = ['engine-started', 'chain-restored', 'ready', 'disk-failed', 'disk-recovered']
      expect(events).toEqual(expected)

      await send()
      host.fill(spare)
      await expect(produce()).rejects.toThrow()
    }
    await using bare = await openBare(dir.path)
    await bare.produceBlock()
    const { hash } = (await bare.chain.read('eth_getBlockByNumber', [numberToHex(head.number), false])) as Head
    expect(hash).toBe(head.hash)
    for (const each of acknowledged)
      expect(await bare.chain.read('eth_getTransactionReceipt', [each])).toMatchObject({ status: '0x1' })
    for (let { number } = bare.chain.head(); number >= head.number - 1; number -= 1) {
      const block = await bare.chain.read('eth_getBlockByNumber', [numberToHex(number), true])
      const [first, ...others] = (block as { transactions: { to: Hex }[] }).transactions.map(({ to }) => to)
      expect([first, others.includes(l1Block)]).toEqual([l1Block, false])
    }
  },
)
