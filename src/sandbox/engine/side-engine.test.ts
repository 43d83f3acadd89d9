import { numberToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test, vi } from 'vitest'
import { isLong } from '../../../test/sized.ts'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { temporaryDir, treasury } from '../fixtures/testing.ts'
import { demandModestCalls } from '../requests/transactions.ts'
import { sideEngine } from './side-engine.ts'

/** Loops while it has 30 million gas, then passes a megabyte to an account without code again and again. */
const late = '0x5b6301c9c3805a115f575b5f5f621000005f5f60bb5ff150600a56'
/** Returns the balance of the treasury. */
const balance = `0x73${treasury.address.slice(2)}315f5260205ff3`

const tracer = `{ calls: 0, enter: function () { this.calls += 1 }, exit: function () {}, fault: function () {},
  result: function (run) { return { calls: this.calls, output: toHex(run.output) } } }`

test.runIf(isLong)('a run that takes too long is ended, and no block waits for it', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const { read, head } = bare.chain
  const trace = async (data: string, gas: number, block: unknown = 'latest') =>
    await read('debug_traceCall', [{ from: treasury.address, data, gas: numberToHex(gas) }, block, { tracer }])
  const ends: string[] = []
  const run = { from: treasury.address, gas: 60_000_000n, value: 0n, data: late } as const
  const cut = demandModestCalls(bare.chain, run).finally(() => ends.push('the run'))
  cut.catch(() => {})
  const sent = await bare.send(2)
  await bare.produceBlock()
  ends.push('the block')
  await expect(cut).rejects.toMatchObject({ code: -32003, message: expect.stringContaining('takes too long') })
  expect(ends).toEqual(['the block', 'the run'])
  for (const hash of sent) expect(await read('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })

  const results = new Set<string>()
  for (const block of ['latest', 'pending', numberToHex(head().number - 1), { blockHash: head().hash }]) {
    const result = await trace(balance, 60_000_000, block)
    expect(result).toEqual(await trace(balance, 200_000, block))
    results.add(JSON.stringify(result))
  }
  expect(results.size).toBe(2)
  for (const gas of [200_000, 60_000_000])
    await expect(trace(balance, gas, numberToHex(head().number + 5))).rejects.toThrow(/not found|BlockOutOfRange/)
})

test('on an engine of its own a read sees the block that it names, and an estimate the next one', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const { read, head } = bare.chain
  for (let block = 0; block < 2; block += 1) {
    await bare.produceBlock()
    const { number } = head()
    const numberAt = async (tag: unknown) =>
      Number(await read('eth_call', [{ data: '0x435f5260205ff3' }, tag], { lane: 'own' }))
    expect(await Promise.all(['latest', 'pending', numberToHex(number - 1)].map(numberAt))).toEqual([
      number,
      number + 1,
      number - 1,
    ])
    // Reverts but in the block after the head.
    const data = `0x63${(number + 1).toString(16).padStart(8, '0')}4314600d575f5ffd5b00`
    for (const tag of [[], ['pending']])
      expect(await read('eth_estimateGas', [{ data }, ...tag], { lane: 'public' })).toMatch(/^0x/)
    await expect(read('eth_estimateGas', [{ data }, 'latest'], { lane: 'public' })).rejects.toMatchObject({ code: 3 })
  }
})

test('every sender has a queue, public reads share one, and all queues take turns', async () => {
  const begun = Promise.withResolvers<void>()
  const ran: unknown[] = []
  const process = {
    call: async (_method: string, params: unknown) => {
      await begun.promise
      if (typeof params === 'string') ran.push(params)
    },
    alive: () => true,
    kill: async () => {},
  }
  const side = sideEngine('', async () => process)
  const request = async (name: string, by?: (typeof treasury)['address']) => await side.call(1, 'trace', name, by)
  const requested = Array.from({ length: 9 }, (_, index) => request(`question ${index}`))
  await expect(request('question')).rejects.toMatchObject({ code: -32002 })
  const other = privateKeyToAccount(generatePrivateKey()).address
  for (let index = 0; index < 32; index += 1) requested.push(request(`treasury ${index}`, treasury.address))
  await expect(request('treasury', treasury.address)).rejects.toMatchObject({ code: -32002 })
  requested.push(request('other 0', other))
  begun.resolve()
  await Promise.all(requested)
  expect(ran.slice(0, 6)).toEqual(['question 0', 'question 1', 'treasury 0', 'other 0', 'question 2', 'treasury 1'])
  expect(ran.length).toBe(42)
})

test('a side engine that cannot start is unavailable, and the next call starts another', async () => {
  vi.useFakeTimers()
  using _real = { [Symbol.dispose]: () => vi.useRealTimers() }
  let killed = 0
  const silent = {
    call: () => new Promise(() => {}),
    alive: () => killed === 0,
    kill: async () => {
      killed += 1
    },
  }
  const starts = [async () => Promise.reject(new Error('no room')), async () => silent, async () => answering]
  const answering = { call: async (method: string) => method, alive: () => true, kill: async () => {} }
  const side = sideEngine('', async () => await (starts.shift() as () => Promise<typeof answering>)())
  const unavailable = { code: -32002, message: expect.stringContaining('restarting') }
  await expect(side.call(1, 'trace', [])).rejects.toMatchObject(unavailable)
  const late = expect(side.call(1, 'trace', [])).rejects.toMatchObject(unavailable)
  await vi.advanceTimersByTimeAsync(10_000)
  await late
  expect(killed).toBe(1)
  expect(await side.call(1, 'trace', [])).toBe('trace')
})
