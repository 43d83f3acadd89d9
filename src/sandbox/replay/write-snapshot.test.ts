import { expect, test } from 'vitest'
import type { Chain } from '../chain/chain.ts'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { pauseDisk } from '../fixtures/paused-disk.ts'
import { chainId, temporaryDir, treasury, until } from '../fixtures/testing.ts'
import { createPendingPool, type Signed, signed } from '../pool/pending-pool.ts'
import { createUpkeep, defaultLimits } from '../sequencing/upkeep.ts'
import { writeSnapshot } from './write-snapshot.ts'

test('a state that is too long to be read again is not written', async () => {
  const state = Buffer.alloc(64)
  state.writeUInt32LE(2 ** 29, 60)
  const never = () => {
    throw new Error('nothing else may be touched')
  }
  const engine = { call: async () => `0x${state.toString('hex')}` }
  const options = { engine, log: { flush: async () => undefined, close: never }, store: { sync: never } }
  await expect(
    writeSnapshot({ ...options, onSegment: never, emit: never, pool: createPendingPool() } as never),
  ).rejects.toThrow(/too long to be stored: 536870912 bytes/)
})

test('a failed snapshot is tried again later, not at every block', async () => {
  let steps = 10
  let tried = 0
  const chain = {
    sinceSnapshot: () => ({ steps, milliseconds: 0 }),
    engineSteps: () => 0,
    engineMemory: async () => 0,
    snapshot: async () => {
      tried += 1
      throw new Error('too long')
    },
  } as Partial<Chain> as Chain
  const upkeep = createUpkeep(chain, () => undefined, { ...defaultLimits, sinceSnapshot: 10 })
  for (; steps < 30; steps += 1) await upkeep()
  expect(tried).toBe(4) // at 10, 15, 20 and 25
})

test('a snapshot has an accepted transaction whose replacement could not be written', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const at = async (nonce: number, tip: bigint): Promise<Signed> => {
    const raw = await treasury.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      gas: 21_000n,
      to: treasury.address,
      maxFeePerGas: 10n ** 9n * tip,
      maxPriorityFeePerGas: tip,
    })
    return signed(raw, treasury.address, nonce)
  }
  const mined: Signed[] = []
  {
    await using bare = await openBare(dir.path)
    const { chain } = bare
    const nonce = Number(await chain.read('eth_getTransactionCount', [treasury.address, 'pending']))
    const [accepted, instead, next] = await Promise.all([at(nonce, 1n), at(nonce, 2n), at(nonce + 1, 1n)])
    await bare.produceBlock()
    await chain.submit(accepted)
    using disk = await pauseDisk(dir.path)
    const replacing = expect(chain.submit(instead)).rejects.toThrow('cannot be written to its disk')
    await until(() => disk.waiting() === 1, 'the log')
    const following = chain.submit(next)
    const written = chain.snapshot()
    await until(() => chain.pendingCount() === 2, 'the transaction after it')
    disk.next('failing')
    await until(() => disk.waiting() === 1, 'the log again')
    disk.next('well')
    await Promise.all([replacing, following, written])
    mined.push(accepted, next)
  }
  await using bare = await openBare(dir.path)
  await bare.produceBlock()
  for (const { hash } of mined)
    expect(await bare.chain.read('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
})
