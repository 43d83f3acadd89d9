import { expect, test } from 'vitest'
import { openFinalBlocks } from '../../src/adapters/storage/accounts/final-blocks.ts'
import { openHalts } from '../../src/adapters/storage/accounts/halts.ts'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { systemClock } from '../../src/adapters/system/system.ts'
import type { Chain } from '../../src/domain/ports/chains.ts'
import { createFinalWatch } from '../../src/domain/sending/watch-final.ts'
import { temporaryDir } from '../../src/sandbox/fixtures/testing.ts'

const chainId = 7
const lost = { number: 10n, hash: '0x0a' } as const
const later = { number: 12n, hash: '0x0c' } as const

async function opened() {
  await using stack = new AsyncDisposableStack()
  const dir = stack.use(await temporaryDir())
  const database = stack.use(await openDatabase({ url: null, dataDir: dir.path }))
  const finalBlocks = openFinalBlocks(database)
  await finalBlocks.note(chainId, lost)
  const resources = stack.move()
  return { finalBlocks, database, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

test('a lost final block halts trading also where a later one was noted meanwhile, and once alone', async () => {
  await using store = await opened()
  const { finalBlocks, database } = store
  const halt = () => finalBlocks.halt({ chainId, block: lost, remembered: true, reason: 'lost', at: new Date() })
  await finalBlocks.note(chainId, later)
  expect(await halt()).toBe(true)
  expect(await halt()).toBe(false)
  expect(await openHalts(database).list()).toHaveLength(1)
  expect(await finalBlocks.newest(chainId)).toEqual(later)
})

test('after a start the final block that is stored is checked before a later one takes its place', async () => {
  await using store = await opened()
  const reasons: string[] = []
  // A chain that has another block at each number.
  const chain = {
    info: { id: chainId, sandbox: false },
    onReorganised: () => () => undefined,
    blockHash: async () => '0x0b',
    replaced: async () => true,
  } as unknown as Chain
  const ports = { ...store, clock: systemClock, chains: { all: [chain], default: chain, find: () => chain } }
  const thrown = (failure: unknown) => {
    throw failure
  }
  const watch = createFinalWatch(ports, { halted: (_, reason) => reasons.push(reason), failed: thrown })
  await watch.note(chain, later)
  await watch.close()
  expect(reasons).toEqual([expect.stringContaining('block 10 (0x0a), which was final')])
  expect(await store.finalBlocks.newest(chainId)).toEqual(later)
})
