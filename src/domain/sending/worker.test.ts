import { expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import type { Chain } from '../ports/chains.ts'
import type { Reference } from '../ports/outbox.ts'
import type { Clock } from '../ports/system.ts'
import { startSchedule } from './schedule.ts'
import { type Followers, openWorker, type WorkerOptions } from './worker.ts'

type Item = { id: number; reference: Reference }
type Work = Record<number, Record<string, readonly Item[]>>

/**
 * A worker over an outbox whose accounts have the same open work at each block. `followed` lists the references that it
 * processed; its reads of those that hang resolve with `never`. With `waits` all work waits for a block. `checked` lists the accounts whose nonce gaps were
 * checked.
 */
function workerOf(
  work: Work,
  hangs: (id: string) => boolean,
  {
    never = new Promise<null>(() => {}),
    stepMs,
    waits = false,
  }: { never?: Promise<null>; stepMs?: number; waits?: boolean } = {},
) {
  const followed: string[] = []
  const checked: string[] = []
  const listeners = new Set<() => void>()
  let height = 0n
  const none = async () => []
  const chainOf = (id: number) => ({
    info: { id, name: `chain ${id}` },
    head: async () => {
      height += 20n
      return { number: height, hash: '0x', timestamp: 1n }
    },
    nonce: async () => 0,
    receipt: async (hash: string) => (hangs(hash) ? await never : null),
    onBlock: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  })
  const itemsAfter = (items: readonly Item[], after: number) => items.filter(({ id }) => id > after)
  const outbox = {
    accountsWithWork: async (id: number, which: string, after: string) =>
      which === 'at_once' && waits ? [] : Object.keys(work[id]!).filter((from) => from > after),
    unfinished: async (id: number, from: string, after: number) => itemsAfter(work[id]![from]!, after),
    byReference: async (reference: Reference) => [{ state: 'included', hash: reference.id, reference }],
    takenNonces: async (_id: number, from: string) => {
      checked.push(from)
      return []
    },
    lockAccount: async () => true,
    unlockAccount: none,
    waiting: none,
    confirmingBlocks: async () => [],
    markNotified: none,
  }
  const gap = async (chain: Chain, reference: Reference) => {
    followed.push(String(reference.id))
    await chain.receipt(`${reference.id}` as never)
  }
  const clock: Clock = clockAt(() => new Date())
  const chains = {
    all: Object.keys(work).map((id) => chainOf(Number(id))),
  } as unknown as WorkerOptions['ports']['chains']
  const options = {
    ports: { outbox, chains, clock, tradingSettings: { maxFeePerGas: null } },
    followers: { gap } as unknown as Followers,
    failed: () => undefined,
  }
  const worker = openWorker({ ...options, ...(stepMs === undefined ? {} : { stepMs }) } as unknown as WorkerOptions)
  const start = () => {
    const schedule = startSchedule({ chains, worker, jobs: [], clock, patrolMs: null, failed: () => undefined })
    return async () => void (await Promise.all([worker.close(), schedule.close()]))
  }
  const block = () => {
    for (const listener of listeners) listener()
  }
  return { followed, checked, start, block }
}

const item = (id: number, name: string): Item => ({ id, reference: { kind: 'gap', id: name } })

test('A reference that hangs delays neither the references behind it nor the nonce gaps of its account', async () => {
  const work = { 1: { '0x1': [item(1, 'before'), item(2, 'hangs'), item(3, 'hangs'), item(4, 'behind')] } }
  const { followed, checked, start, block } = workerOf(work, (id) => id === 'hangs', { stepMs: 200 })
  const close = start()
  const turns = () => {
    block()
    return followed.slice(0, 5)
  }
  // The second turn begins after the reference that hung, and ends with it.
  const both = ['before', 'hangs', 'behind', 'before', 'hangs']
  await expect.poll(turns, { timeout: 10_000 }).toEqual(both)
  expect(checked.length).toBeGreaterThan(0)
  await close()
})

test('A chain that hangs delays no other chain, however many of its accounts have work', async () => {
  const gate = Promise.withResolvers<null>()
  const many = Array.from({ length: 100 }, (_, id) => [`0x1${id}`, [item(id + 1, `hangs-${id}`)]] as const)
  const work = { 1: Object.fromEntries(many), 2: { '0x2': [item(200, 'other')] } }
  // No step ends by itself: the first chain's capacity stays in use until the gate opens.
  const { followed, start } = workerOf(work, (id) => id.includes('hangs'), { never: gate.promise })
  const close = start()
  await expect.poll(() => followed.filter((id) => id.includes('hangs'))).toHaveLength(32)
  await expect.poll(() => followed).toContain('other')
  gate.resolve(null)
  await close()
})

test('A step that failed is repeated at the next block, also where that changes nothing for its account', async () => {
  const never = Promise.reject(new Error('the node fails'))
  never.catch(() => undefined)
  const { followed, start, block } = workerOf({ 1: { '0x1': [item(1, 'fails')] } }, () => true, { never, waits: true })
  const close = start()
  const turns = () => {
    block()
    return followed.length
  }
  await expect.poll(turns).toBeGreaterThan(3)
  await close()
})

test('A step that succeeded is not repeated where its account merely waits', async () => {
  const { followed, start, block } = workerOf({ 1: { '0x1': [item(1, 'waits')] } }, () => false, { waits: true })
  const close = start()
  await expect.poll(() => followed.length).toBeGreaterThan(0)
  for (let count = 0; count < 20; count += 1) {
    block()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(followed).toEqual(['waits'])
  await close()
})
