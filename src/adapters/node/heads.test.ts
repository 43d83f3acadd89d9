import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DomainError } from '../../domain/core/errors.ts'
import type { Hex, Reorganisation } from '../../domain/ports/chains.ts'
import type { HeadChange, NodeObject } from '../../domain/ports/node.ts'
import { type Heads, trackHeads } from './heads.ts'
import type { Upstream } from './upstream.ts'

/** A chain that the test extends and reorganises, behind a node that may stop responding. */
function scripted(length: number) {
  let made = 0
  let asked = 0
  let silent = false
  let unlearnt = 0
  let chain: NodeObject[] = []
  const hints = new Set<(number?: bigint) => void>()
  const make = (parent: NodeObject | undefined): NodeObject => {
    made += 1
    const number = parent === undefined ? 0n : BigInt(String(parent.number)) + 1n
    const parentHash = parent?.hash ?? `0x${'0'.repeat(64)}`
    return { number: hex(number), hash: hash(made), parentHash, transactions: [], uncles: [], logsBloom: '0x01' }
  }
  const grow = (count: number) => {
    for (let at = 0; at < count; at += 1) chain.push(make(chain.at(-1)))
  }
  grow(length)
  const answer = (method: string, [first]: readonly unknown[]): unknown => {
    if (method === 'eth_getBlockByHash') return chain.find((block) => block.hash === first) ?? null
    if (method === 'eth_getLogs') {
      const { blockHash } = first as { blockHash: string }
      unlearnt -= 1
      if (unlearnt >= 0) return []
      if (chain.some((block) => block.hash === blockHash)) return [{ blockHash }]
      throw new DomainError('NOT_FOUND', 'unknown block')
    }
    return (first === 'latest' ? chain.at(-1) : chain[Number(first)]) ?? null
  }
  const request: Upstream['request'] = async (method, params) => {
    asked += 1
    await Promise.resolve()
    if (silent) throw new DomainError('UNAVAILABLE', 'silent')
    return answer(method, params)
  }
  const upstream: Upstream = {
    request,
    direct: request,
    pushesHeads: () => true,
    onHint(listener) {
      hints.add(listener)
      return () => hints.delete(listener)
    },
    onPending: () => () => {},
    finalized: () => -1n,
    states: () => [],
  }
  return {
    upstream,
    grow,
    reorganise(depth: number, count: number) {
      chain = chain.slice(0, Math.max(1, chain.length - depth))
      grow(count)
    },
    hint() {
      for (const listener of hints) listener()
    },
    silence(on: boolean) {
      silent = on
    },
    /** How often the node returns no logs, although the bloom of every block announces some. */
    unlearn(times: number) {
      unlearnt = times
    },
    hashes: () => chain.map((block) => block.hash as Hex),
    asked: () => asked,
  }
}

const hex = (number: bigint) => `0x${number.toString(16)}`
const hash = (number: number) => `0x${number.toString(16).padStart(64, '0')}` as Hex

/** Applies changes to the list of hashes that a reader believes. */
function follower(heads: Heads, start: readonly Hex[]) {
  const leaving = new AbortController()
  const believed = [...start]
  const faults: string[] = []
  const apply = ({ removed, added }: HeadChange) => {
    for (const block of removed) if (believed.pop() !== block.hash) faults.push(`${block.hash} was not the last`)
    for (const block of added) {
      if (believed.includes(block.hash)) faults.push(`${block.hash} came twice`)
      if (believed.length > 0 && believed.at(-1) !== block.header.parentHash)
        faults.push(`${block.hash} does not follow`)
      believed.push(block.hash)
    }
  }
  const done = (async () => {
    for await (const change of heads.changes(leaving.signal)) apply(change)
  })()
  return { believed, faults, done, leave: () => leaving.abort() }
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('grow' as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    kind: fc.constant('reorganise' as const),
    depth: fc.integer({ min: 1, max: 8 }),
    count: fc.integer({ min: 1, max: 8 }),
  }),
  fc.record({ kind: fc.constant('silence' as const) }),
)

test('whatever the chain does, a reader who believes the changes has the chain', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const chain = scripted(10)
      await using heads = await trackHeads(chain.upstream, 60_000)
      const reader = follower(heads, chain.hashes())
      for (const each of steps) {
        if (each.kind === 'grow') chain.grow(each.count)
        if (each.kind === 'reorganise') chain.reorganise(each.depth, each.count)
        chain.silence(each.kind === 'silence')
        chain.hint()
        await Promise.resolve()
      }
      chain.silence(false)
      chain.grow(9) // so that it is the longest chain, whatever was removed
      chain.hint()
      expect((await heads.newest()).hash).toBe(chain.hashes().at(-1))
      await new Promise(setImmediate)
      expect(reader.faults).toEqual([])
      expect(reader.believed).toEqual(chain.hashes())
      reader.leave()
      await reader.done
    }),
    { numRuns: 60 },
  )
})

test('a node that lags behind takes nothing back', async () => {
  const chain = scripted(5)
  await using heads = await trackHeads(chain.upstream, 60_000)
  const reader = follower(heads, [])
  const head = (await heads.newest()).hash
  chain.reorganise(2, 0)
  chain.hint()
  expect((await heads.newest()).hash).toBe(head)
  expect(reader.believed).toEqual([])
})

test('one node on another chain, or far behind, takes nothing back while most nodes have the newest block', async () => {
  const chain = scripted(300)
  let isGone = false
  await using heads = await trackHeads({ ...chain.upstream, isGone: async () => isGone }, 60_000)
  const seen: Reorganisation[] = []
  heads.onReorganised((one) => seen.push(one))
  const { hash: head } = await heads.newest()
  chain.reorganise(290, 20)
  chain.hint()
  expect((await heads.newest()).hash).toBe(head)
  expect(seen).toEqual([])
  isGone = true
  chain.hint()
  expect((await heads.newest()).hash).toBe(chain.hashes().at(-1))
})

test('a reorganisation deeper than memory, or a silence too long, ends the readers', async () => {
  const chain = scripted(300)
  await using heads = await trackHeads(chain.upstream, 60_000)
  const deep = follower(heads, [])
  chain.reorganise(280, 290)
  chain.hint()
  await expect(deep.done).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect((await heads.newest()).hash).toBe(chain.hashes().at(-1))
  const long = follower(heads, [])
  const before = chain.asked()
  chain.grow(1_200)
  chain.hint()
  await expect(long.done).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(chain.asked() - before).toBeLessThan(5)
})

test('a reorganisation is reported with its lowest block, and as deep only below a full window, without a call', async () => {
  const chain = scripted(100)
  await using heads = await trackHeads(chain.upstream, 60_000)
  const seen: Reorganisation[] = []
  const stop = heads.onReorganised((one) => seen.push(one))
  const follow = async () => {
    chain.hint()
    await heads.newest()
  }
  chain.grow(1)
  await follow()
  expect(seen).toEqual([])
  chain.reorganise(3, 5)
  await follow()
  expect(seen.splice(0)).toEqual([{ lowest: 98n, deepest: null }])
  chain.reorganise(90, 100)
  await follow()
  expect(seen.splice(0)).toEqual([{ lowest: 0n, deepest: null }])
  chain.grow(300)
  await follow()
  const oldest = chain.hashes().length - 256
  const lost = { number: BigInt(oldest), hash: chain.hashes()[oldest] }
  chain.reorganise(300, 310)
  await follow()
  expect(seen.splice(0)).toEqual([{ lowest: 0n, deepest: lost }])
  stop()
  const asked = chain.asked()
  await heads.newest()
  expect([seen, chain.asked()]).toEqual([[], asked])
})

test('logs are read once and outlive the block; a removed block whose logs were never read has none', async () => {
  const chain = scripted(5)
  await using heads = await trackHeads(chain.upstream, 60_000)
  const changes = heads.changes(new AbortController().signal)
  chain.grow(2)
  chain.hint()
  const { added } = (await changes.next()).value as HeadChange
  const [read, unread] = added
  const before = chain.asked()
  const logs = await Promise.all([read!.logs(), read!.logs()])
  expect(logs).toEqual([[{ blockHash: read!.hash }], [{ blockHash: read!.hash }]])
  expect(chain.asked()).toBe(before + 1)

  chain.reorganise(2, 3)
  expect(await unread!.logs()).toEqual([]) // the block is removed before the tracker was notified of it
  const { removed } = (await changes.next()).value as HeadChange
  expect(removed.map((block) => block.hash)).toEqual([unread!.hash, read!.hash])
  expect(await removed[1]!.logs()).toEqual([{ blockHash: read!.hash }])
  expect(await removed[0]!.logs()).toEqual([])
})

test('logs wait for a node that is silent', async () => {
  const chain = scripted(5)
  await using heads = await trackHeads(chain.upstream, 60_000)
  const block = await heads.newest()
  chain.silence(true)
  const logs = block.logs()
  await new Promise((resolve) => setTimeout(resolve, 20))
  chain.silence(false)
  expect(await logs).toEqual([{ blockHash: block.hash }])
})

test('logs that a node has not indexed yet are read again, but not forever', async () => {
  const chain = scripted(5)
  await using heads = await trackHeads(chain.upstream, 60_000)
  const block = await heads.newest()
  chain.unlearn(2)
  expect(await block.logs()).toEqual([{ blockHash: block.hash }])
  chain.grow(1)
  chain.hint()
  const next = await heads.newest()
  const before = chain.asked()
  chain.unlearn(Number.POSITIVE_INFINITY)
  expect(await next.logs()).toEqual([])
  expect(chain.asked() - before).toBeGreaterThan(2)
  chain.unlearn(0)
  expect(await next.logs()).toEqual([{ blockHash: next.hash }])
})

test('the head needs no call until a hint announces a newer one', async () => {
  const chain = scripted(5)
  await using heads = await trackHeads(chain.upstream, 60_000)
  const before = chain.asked()
  await heads.newest()
  expect(chain.asked()).toBe(before)
  chain.grow(1)
  chain.hint()
  expect((await heads.newest()).number).toBe(5n)
  chain.grow(1)
  await heads.catchUp(5n)
  expect((await heads.newest()).number).toBe(5n)
  await heads.catchUp(6n)
  expect((await heads.newest()).number).toBe(6n)
  chain.silence(true)
  expect((await heads.newest()).number).toBe(6n)
  chain.hint()
  await expect(heads.newest()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

test('a recent head needs a call ten times a second at most, also where the node reports no blocks', async () => {
  const chain = scripted(5)
  await using heads = await trackHeads({ ...chain.upstream, pushesHeads: () => false }, 60_000)
  await heads.recent()
  const before = chain.asked()
  chain.grow(1)
  for (let times = 0; times < 5; times += 1) await heads.recent()
  expect(chain.asked() - before).toBeLessThan(5)
  await expect.poll(async () => (await heads.recent()).number, { interval: 20 }).toBe(5n)
  chain.silence(true)
  await expect.poll(async () => await heads.recent().catch(({ code }) => code), { interval: 20 }).toBe('UNAVAILABLE')
})
