import { expect, test } from 'vitest'
import { openSender, type SenderPorts } from './sender.ts'

type Item = { id: number; reference: string }
type Work = Record<number, Record<string, readonly Item[]>>

/**
 * A sender over an outbox in which accounts have the same work at each block, and what it asked the chains about it. Of
 * the references that hang no chain answers before `never` does.
 */
function senderOf(
  work: Work,
  hangs: (reference: string) => boolean,
  { never = new Promise<null>(() => {}), stepMs }: { never?: Promise<null>; stepMs?: number } = {},
) {
  const asked: string[] = []
  const filled: string[] = []
  const told = new Set<() => void>()
  const none = async () => []
  const chainOf = (id: number) => ({
    info: { id, name: `chain ${id}` },
    head: async () => ({ number: 1n, hash: '0x', timestamp: 1n }),
    nonce: async () => 0,
    finality: async () => ({ safe: 0n, finalized: 0n }),
    receipt: async (hash: string) => {
      asked.push(hash)
      return hangs(hash) ? await never : null
    },
    onBlock: (wake: () => void) => {
      told.add(wake)
      return () => told.delete(wake)
    },
  })
  const behind = (items: readonly Item[], after: number) => items.filter(({ id }) => id > after)
  const outbox = {
    atWork: async (id: number, after: string) => Object.keys(work[id]!).filter((from) => from > after),
    unfinished: async (id: number, from: string, after: number) => behind(work[id]![from]!, after),
    byReference: async (reference: string) => [{ state: 'included', hash: reference, reference }],
    takenNonces: async (_id: number, from: string) => {
      filled.push(from)
      return []
    },
    ...{ claimLane: async () => true, releaseLane: none, maturing: none, markTold: none, purge: async () => 0 },
  }
  const ports = {
    outbox,
    chains: { all: Object.keys(work).map((id) => chainOf(Number(id))), default: { info: { id: 0 } } },
    chatStreams: { purge: async () => 0 },
    clock: { now: () => new Date() },
    executions: { shared: false, abandoned: none, freeKeys: async () => 0, purgeMoves: async () => 0 },
    grants: null,
    quotes: { purge: async () => 0 },
    wallets: { findByAddress: async () => ({ userId: 1 }) },
  }
  const sender = openSender(ports as unknown as SenderPorts, () => undefined, stepMs)
  const block = () => {
    for (const wake of told) wake()
  }
  return { asked, filled, sender, block }
}

const item = (id: number, name: string) => ({ id, reference: `gap:${name}` })

test('One reference that hangs holds up neither what is behind it nor the holes of its account', async () => {
  const work = { 1: { '0x1': [item(1, 'before'), item(2, 'hangs'), item(3, 'hangs'), item(4, 'behind')] } }
  const { asked, filled, sender, block } = senderOf(work, (reference) => reference === 'gap:hangs', { stepMs: 200 })
  await sender.resume()
  const turns = () => {
    block()
    return asked.slice(0, 5)
  }
  // The second turn goes on behind what hung, and round to it again.
  const both = ['gap:before', 'gap:hangs', 'gap:behind', 'gap:before', 'gap:hangs']
  await expect.poll(turns, { timeout: 10_000 }).toEqual(both)
  expect(filled.length).toBeGreaterThan(0)
  await sender.close()
})

test('A chain that hangs holds up no other, however many accounts have work on it', async () => {
  const gate = Promise.withResolvers<null>()
  const many = Array.from({ length: 100 }, (_, id) => [`0x1${id}`, [item(id + 1, `hangs-${id}`)]] as const)
  const work = { 1: Object.fromEntries(many), 2: { '0x2': [item(200, 'other')] } }
  // No step ends by itself: the places of the first chain stay taken until the gate opens.
  const { asked, sender } = senderOf(work, (reference) => reference.includes('hangs'), { never: gate.promise })
  await sender.resume()
  await expect.poll(() => asked.filter((reference) => reference.includes('hangs'))).toHaveLength(32)
  await expect.poll(() => asked).toContain('gap:other')
  gate.resolve(null)
  await sender.close()
})
