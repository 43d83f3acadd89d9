import { readFileSync } from 'node:fs'
import { type Hex, numberToHex, type TransactionSerializable } from 'viem'
import { expect, test } from 'vitest'
import { callEngine } from '../fixtures/call-engine.ts'
import { chainId, clientOf, enginePid, temporaryDir, testSandbox, treasury, until, user } from '../fixtures/testing.ts'

const artifact = new URL('../contracts/artifacts/WrappedEther.json', import.meta.url)
const { bytecode } = JSON.parse(readFileSync(artifact, 'utf8')) as { bytecode: Hex }
/** Reverts. */
const failing = '0x5f5ffd'
const keys = [`0x${'11'.repeat(32)}`] as const

test('a block that a fork mines again has the traces of the engine that mined it, whatever its transactions', async () => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path)
  const client = clientOf(sandbox)
  const nonce = await client.getTransactionCount({ address: treasury.address })
  const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
  const authorization = await treasury.signAuthorization({ chainId, address: user.address, nonce: nonce + 5 })
  const kinds: Partial<TransactionSerializable>[] = [
    { type: 'legacy', gasPrice: 10n ** 9n, to: user.address, value: 1n },
    {
      type: 'eip2930',
      gasPrice: 10n ** 9n,
      to: user.address,
      accessList: [{ address: user.address, storageKeys: keys }],
    },
    { type: 'eip1559', ...fees, data: bytecode },
    { type: 'eip1559', ...fees, data: failing },
    { type: 'eip7702', ...fees, to: user.address, authorizationList: [authorization] },
  ]
  const hashes = await Promise.all(
    kinds.map(async (kind, index) => {
      const raw = await treasury.signTransaction({ ...kind, chainId, gas: 900_000n, nonce: nonce + index } as never)
      return (await sandbox.request({ method: 'eth_sendRawTransaction', params: [raw] })) as Hex
    }),
  )
  const receipts = await Promise.all(hashes.map((hash) => client.waitForTransactionReceipt({ hash })))
  expect(receipts.map(({ status }) => status)).toEqual(['success', 'success', 'success', 'reverted', 'success'])

  const pid = enginePid(sandbox.events)
  for (const number of new Set(receipts.map(({ blockNumber }) => blockNumber))) {
    const { transactions } = await client.getBlock({ blockNumber: number })
    for (const tracer of ['callTracer', 'prestateTracer', '4byteTracer'])
      for (const hash of transactions) {
        const params = [hash, { tracer }]
        const again = await sandbox.request({ method: 'debug_traceTransaction', params })
        expect(again).toEqual(await callEngine(pid, 'debug_traceTransaction', params))
      }
    const params = [numberToHex(number), { tracer: 'callTracer' }]
    const whole = (await sandbox.request({ method: 'debug_traceBlockByNumber', params })) as unknown[]
    expect(whole).toHaveLength(transactions.length)
    expect(whole).toEqual(await callEngine(pid, 'debug_traceBlockByNumber', params))
  }
  const before = sandbox.heads().latest.number
  await until(() => sandbox.heads().latest.number > before, 'the next block')
})
