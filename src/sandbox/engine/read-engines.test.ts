import { expect, test, vi } from 'vitest'
import { engineUnavailable, type RpcError } from '../kit/rpc-error.ts'
import { readEngines } from './read-engines.ts'
import type { Lane, ReadLimits } from './reads.ts'

const limits: ReadLimits = { forks: 2, waiting: 2, waitMs: 2_000, slowMs: 30, runMs: 150 }

/** Processes that run `quick` at once, `slow` in 60 ms and `endless` until they are killed; what they did is recorded. */
function processes(resets: (block: number) => boolean = () => true, more: Partial<ReadLimits> = {}) {
  const did: string[] = []
  let started = 0
  const start = async (lane: string) => {
    const name = `${lane} ${started++}`
    const dead = Promise.withResolvers<never>()
    dead.promise.catch(() => undefined)
    let alive = true
    did.push(`start ${name}`)
    return {
      alive: () => alive,
      call: async (method: string, params: unknown) => {
        const block = (params as [{ forking?: { blockNumber: number } }])[0]?.forking?.blockNumber
        did.push(block === undefined ? `${name} ${method}` : `${name} at ${block}`)
        if (block !== undefined && !resets(block)) throw new Error('no such block')
        if (method === 'slow') await Promise.race([new Promise((resolve) => setTimeout(resolve, 60)), dead.promise])
        if (method === 'endless') await dead.promise
        return name
      },
      kill: async () => {
        alive = false
        did.push(`kill ${name}`)
        dead.reject(engineUnavailable())
      },
    }
  }
  const engines = readEngines('socket', start, { ...limits, ...more })
  const call = (lane: Lane, block: number, method: string, params: unknown[], signal?: AbortSignal) =>
    engines.open({ lane, block, signal })(method, params)
  const openFor = (name: string) => engines.open({ lane: 'public', block: 7, caller: { name, spent: () => undefined } })
  return { did, call, openFor, start, engines, end: engines.end }
}

test('reads of a block share a fork, which is reset for the next block once it is idle', async () => {
  const { did, call, end } = processes()
  for (const block of [7, 7, 8]) await call('own', block, 'quick', [])
  expect(did).toEqual(['start own 0', 'own 0 at 7', 'own 0 quick', 'own 0 quick', 'own 0 at 8', 'own 0 quick'])
  await end()
  expect(did.at(-1)).toBe('kill own 0')
  await expect(call('own', 8, 'quick', [])).rejects.toMatchObject({ code: -32002 })
})

test('a slow run retires its fork, and one without end is cut with it, while other reads go on', async () => {
  vi.useFakeTimers()
  using _ = { [Symbol.dispose]: () => vi.useRealTimers() }
  const { did, call, end } = processes()
  const cut = call('public', 7, 'endless', [])
  cut.catch(() => undefined)
  await vi.advanceTimersByTimeAsync(1)
  expect(did).toContain('public 0 endless')
  const shared = call('public', 7, 'slow', [])
  await vi.advanceTimersByTimeAsync(1)
  expect(did).toContain('public 0 slow')
  expect(await call('own', 7, 'quick', [])).toBe('own 1')
  await vi.advanceTimersByTimeAsync(60)
  expect(await shared).toBe('public 0')
  expect(await call('public', 7, 'quick', [])).toBe('public 2')
  await vi.advanceTimersByTimeAsync(limits.runMs)
  await expect(cut).rejects.toMatchObject({ code: -32002, message: expect.stringContaining('takes longer than 0.15') })
  expect(did.filter((line) => line.startsWith('kill'))).toEqual(['kill public 0'])
  await end()
})

test('a run that loses its fork to another one is repeated elsewhere', async () => {
  vi.useFakeTimers()
  using _ = { [Symbol.dispose]: () => vi.useRealTimers() }
  const { did, call, end } = processes()
  const failed = (error: unknown) => error
  const cut = call('public', 7, 'endless', []).catch(failed)
  await vi.advanceTimersByTimeAsync(10)
  const again = call('public', 7, 'endless', []).catch(failed)
  await vi.advanceTimersByTimeAsync(3 * limits.runMs)
  const [outcome, repeated] = await Promise.all([cut, again])
  expect(outcome).toMatchObject({ code: -32002 })
  expect(repeated).toMatchObject({ code: -32002 })
  // The second run began on the fork of the first one, and again on another one.
  expect(did.filter((line) => line.endsWith('endless'))).toEqual([
    'public 0 endless',
    'public 0 endless',
    'public 1 endless',
  ])
  await end()
})

test('who has left is not served, and a full line refuses', async () => {
  const { did, call, end } = processes()
  const busy = [7, 8].map((block) => call('public', block, 'endless', []).catch(() => 'cut'))
  await expect.poll(() => did.filter((line) => line.endsWith('endless'))).toHaveLength(2)
  const leaving = new AbortController()
  const left = call('public', 9, 'quick', [], leaving.signal)
  left.catch(() => undefined)
  const waits = call('public', 9, 'quick', [])
  await expect(call('public', 9, 'quick', [])).rejects.toMatchObject({ code: -32002 })
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  expect(await waits).toMatch(/^public/)
  expect(await Promise.all(busy)).toEqual(['cut', 'cut'])
  expect(did.filter((line) => line.endsWith('quick'))).toHaveLength(1)
  await end()
})

test('a fork whose reset failed is reset again for the next read of that block', async () => {
  let fails = true
  const { call, end } = processes((block) => !(block === 8 && fails))
  await call('own', 7, 'quick', [])
  await expect(call('own', 8, 'quick', [])).rejects.toThrow('no such block')
  fails = false
  expect(await call('own', 8, 'quick', [])).toBe('own 0')
  await end()
})

test('reads of different blocks at once each run at their own', async () => {
  const { did, call, end } = processes(() => true, { waiting: 8 })
  await call('own', 1, 'quick', [])
  await Promise.all([1, 2, 1, 3, 2, 3].map((block) => call('own', block, `quick ${block}`, [])))
  const at = new Map<string, string>()
  for (const line of did) {
    const [, name = '', block] = /^(own \d+) at (\d+)$/.exec(line) ?? []
    if (block !== undefined) at.set(name, block)
    const [, runner = '', wanted] = /^(own \d+) quick (\d+)$/.exec(line) ?? []
    if (wanted !== undefined) expect([line, at.get(runner)]).toEqual([line, wanted])
  }
  expect(did.filter((line) => / quick \d/.test(line))).toHaveLength(6)
  await end()
})

test('a caller of long reads leaves a fork to the others, and a full line refuses the heaviest', async () => {
  const { did, openFor, end } = processes(() => true, { forks: 3, waiting: 3, runMs: 700 })
  const flood = (method: string) => openFor('flood')(method, [])
  await expect(flood('endless')).rejects.toThrow('takes longer')
  const heavy = Array.from({ length: 5 }, () => flood('endless').catch((error: RpcError) => error.message))
  await expect.poll(() => did.filter((line) => line.endsWith('endless')).length).toBe(3)
  expect(await openFor('other')('quick', [])).toMatch(/^public/)
  // Three wait; others in the line come before them, and take their places where it is full.
  const first = openFor('other')('slow', [])
  expect(await first).toMatch(/^public/)
  const extra = flood('endless')
  await expect(extra).rejects.toThrow('too many reads')
  expect(await Promise.all(heavy)).toContainEqual(expect.stringContaining('takes longer'))
  await end()
})

test('a fork that cannot start makes way for those who wait', async () => {
  let fails = 2
  const working = processes()
  const start = async (lane: Lane) => {
    if (fails-- > 0) throw new Error('no room')
    return await working.start(lane)
  }
  const engines = readEngines('socket', start, { ...limits, forks: 1 })
  const read = (name: string, block: number) =>
    engines.open({ lane: 'public', block, caller: { name, spent: () => undefined } })('quick', [])
  const results = await Promise.allSettled(['one', 'two', 'three'].map(read))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  await engines.end()
})

test('a fork ends once nobody waits for any of its long runs', async () => {
  const { did, engines } = processes()
  const leaving = new AbortController()
  const left = [1, 2].map(() =>
    engines
      .open({ lane: 'public', block: 7, signal: leaving.signal })('endless', [])
      .catch(() => 'left'),
  )
  await expect.poll(() => did.filter((line) => line.endsWith('endless')).length, { interval: 1 }).toBe(2)
  leaving.abort()
  expect(await Promise.all(left)).toEqual(['left', 'left'])
  await engines.end()
})
