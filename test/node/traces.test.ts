import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, send, sendAndMine, treasury, user } from '../../src/sandbox/fixtures/testing.ts'
import { askEngine } from '../engine.ts'
import { type EmbeddedNode, openEmbeddedNode } from './embedded-node.ts'

let embedded: EmbeddedNode
let world: EmbeddedNode['world']
let dataDir: EmbeddedNode['dataDir']

beforeAll(async () => {
  embedded = await openEmbeddedNode()
  ;({ world, dataDir } = embedded)
})
afterAll(() => embedded[Symbol.asyncDispose]())

const ask: EmbeddedNode['ask'] = (method, ...params) => embedded.ask(method, ...params)
const failure = (method: string, ...params: unknown[]) =>
  ask(method, ...params).then(
    (answer) => ({ answer }),
    ({ code, message }) => ({ code, message }),
  )

type Sent = Parameters<typeof sendAndMine>[2]
type Receipt = Awaited<ReturnType<typeof sendAndMine>>

/** Puts two transactions into one block: the later one is sent first and waits for its nonce. */
async function mineTogether(first: Sent, second: Sent): Promise<[Receipt, Receipt]> {
  const hash = await send(world, treasury, second)
  const receipt = await sendAndMine(world, treasury, first)
  return [receipt, await clientOf(world).waitForTransactionReceipt({ hash })]
}

test('traces show the gas of the whole transaction, and a transaction that is not there has none', async () => {
  const { transactionHash, blockNumber } = await sendAndMine(world, treasury, { to: user.address, value: 5n })
  const callTracer = { tracer: 'callTracer' }
  expect(await ask('debug_traceTransaction', transactionHash, callTracer)).toMatchObject({
    gas: '0xf4240',
    gasUsed: '0x5208',
  })
  expect(await ask('debug_traceBlockByNumber', `0x${blockNumber.toString(16)}`, callTracer)).toContainEqual(
    expect.objectContaining({ txHash: transactionHash, result: expect.objectContaining({ gas: '0xf4240' }) }),
  )
  const unknown = `0x${'11'.repeat(32)}`
  expect(await failure('debug_traceTransaction', unknown, callTracer)).toMatchObject({ code: 'NOT_FOUND' })
  expect(await failure('debug_traceBlockByNumber', '0xfffff', callTracer)).toMatchObject({ code: 'NOT_FOUND' })
  expect(await failure('debug_traceCall', { to: user.address }, 'latest', { tracer: '4byteTracer' })).toMatchObject({
    code: 'UNIMPLEMENTED',
  })
})

test('traces show what each transaction of a block has used by itself', async () => {
  const { address: to, encode } = world.funder
  const { data, value } = encode(user.address)
  const nonce = Number(await ask('eth_getTransactionCount', treasury.address, 'pending'))
  const [first, last] = await mineTogether({ to, data, value, nonce }, { to, data, value, nonce: nonce + 1 })
  const before = first.cumulativeGasUsed
  expect([first.blockNumber, last.cumulativeGasUsed]).toEqual([last.blockNumber, before + last.gasUsed])
  const callTracer = { tracer: 'callTracer' }
  for (const { transactionHash, gasUsed } of [first, last]) {
    const traced = (await ask('debug_traceTransaction', transactionHash, callTracer)) as { gasUsed: string }
    expect(BigInt(traced.gasUsed)).toBe(gasUsed)
    expect(await ask('debug_traceTransaction', transactionHash)).toMatchObject({ gas: Number(gasUsed) })
  }
  const number = `0x${last.blockNumber.toString(16)}`
  const traced = (await ask('debug_traceBlockByNumber', number, callTracer)) as Traced[]
  const steps = (await ask('debug_traceBlockByNumber', number, { limit: 1 })) as Traced[]
  for (const { transactionHash: txHash, gasUsed } of [first, last]) {
    const used = `0x${gasUsed.toString(16)}`
    expect(traced).toContainEqual({ txHash, result: expect.objectContaining({ gasUsed: used }) })
    expect(steps).toContainEqual({ txHash, result: expect.objectContaining({ gas: Number(gasUsed) }) })
  }
})

test('the steps of a transaction are those that the engine itself shows of the same call', async () => {
  const { address: to, encode } = world.funder
  const { data, value } = encode(user.address)
  const call = { from: treasury.address, to, data, value: `0x${value.toString(16)}`, gas: '0xf4240' }
  // Traced by the engine itself, which stores the steps of a call.
  const simulated = (await askEngine(dataDir, 'debug_traceCall', [call, 'latest'])) as Steps
  const called = (await ask('debug_traceCall', call, 'latest')) as Steps
  const { transactionHash } = await sendAndMine(world, treasury, { to, data, value })
  const traced = (await ask('debug_traceTransaction', transactionHash)) as Steps
  expect(traced.structLogs.length).toBeGreaterThan(50)
  expect(Math.max(...traced.structLogs.map(({ depth }) => depth))).toBeGreaterThan(1)
  expect(traced.structLogs.map(comparable)).toEqual(simulated.structLogs.map(comparable))
  expect(called).toEqual(traced)
  expect({ ...traced, structLogs: [] }).toEqual({ ...simulated, structLogs: [] })
  const short = (await ask('debug_traceTransaction', transactionHash, {
    limit: 3,
    disableStack: true,
    enableMemory: true,
  })) as Steps
  const costs = ({ structLogs }: Steps) => structLogs.map(({ op, gasCost }) => [op, gasCost])
  expect(costs(short)).toEqual(costs(traced).slice(0, 3))
  expect(short.structLogs[2]).toMatchObject({ memory: expect.any(Array) })
  expect(short.structLogs[2]).not.toHaveProperty('stack')
})

test('a trace with too many steps is refused, and delays no other call', async () => {
  const endless = { data: '0x5b600056', gas: '0x3938700' }
  expect(await failure('debug_traceCall', endless, 'latest')).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('limit'),
  })
  const few = (await ask('debug_traceCall', endless, 'latest', { limit: 5 })) as Steps
  expect(few).toMatchObject({ gas: 50_000_000, failed: true })
  expect(few.structLogs).toHaveLength(5)
  expect(await failure('debug_traceBlockByNumber', '0x1')).toMatchObject({ code: 'INVALID_ARGUMENT' })
  expect(await failure('debug_traceBlockByNumber', '0x0')).toMatchObject({ code: 'NOT_FOUND' })
})

test('steps that show more than fits are refused before the engine has collected them', async () => {
  const refused = { code: 'INVALID_ARGUMENT', message: expect.stringContaining('limit') }
  // Writes one word at 64 KiB, then loops for 1,000 steps: 2 million words of memory.
  const wideMemory = { data: '0x5f62010000525b600656', gas: '0x3938700' }
  const shown = { enableMemory: true, limit: 1_000 }
  expect(await failure('debug_traceCall', wideMemory, 'latest', shown)).toMatchObject(refused)
  const few = (await ask('debug_traceCall', wideMemory, 'latest', { ...shown, limit: 20 })) as Steps
  expect(few).toMatchObject({ failed: true })
  expect(few.structLogs.at(-1)).toMatchObject({ memory: Array(2_049).fill(`0x${'0'.repeat(64)}`) })
  // Puts 1,000 values on the stack, then loops.
  const deepStack = { data: `0x${'5f'.repeat(1_000)}5b6103e856`, gas: '0x3938700' }
  expect(await failure('debug_traceCall', deepStack, 'latest', { limit: 9_000 })).toMatchObject(refused)
  const bare = { limit: 9_000, disableStack: true }
  expect(((await ask('debug_traceCall', deepStack, 'latest', bare)) as Steps).structLogs).toHaveLength(9_000)
})

test('calls that would be handed more than fits are refused before the engine has copied it', async () => {
  // Passes 64 KiB to an account without code in a loop: 40 gas and a copy each time.
  const loop = { data: '0x5f61ffe0525b5f5f620100005f5f60bb5ff150600556', gas: '0x493e0' } as const
  const callTracer = { tracer: 'callTracer' }
  const refused = { code: 'INVALID_ARGUMENT', message: expect.stringContaining('too many calls') }
  expect(await failure('debug_traceCall', loop, 'latest', callTracer)).toMatchObject(refused)
  for (const options of [{ limit: 3 }, { tracer: 'prestateTracer' }])
    expect(await failure('debug_traceCall', loop, 'latest', options)).toMatchObject(refused)
  // The chain refuses such a transaction. A contract that loops from its second call on is accepted, because both are
  // simulated before either is mined.
  const runtime = '5f54600a5760015f55005b5f61ffe0525b5f5f620100005f5f60bb5ff150601056'
  const { contractAddress: to } = await sendAndMine(world, treasury, { data: `0x6021600a5f3960215ff3${runtime}` })
  const nonce = Number(await ask('eth_getTransactionCount', treasury.address, 'pending'))
  const runs = [0, 1].map((run) => ({ to, gas: 100_000n, nonce: nonce + run }) as Sent)
  const [, { transactionHash, blockNumber }] = await mineTogether(runs[0]!, runs[1]!)
  expect(await failure('debug_traceTransaction', transactionHash, callTracer)).toMatchObject(refused)
  const number = `0x${blockNumber.toString(16)}`
  expect(await failure('debug_traceBlockByNumber', number, callTracer)).toMatchObject(refused)
  expect(await ask('debug_traceCall', { ...loop, gas: '0x10000' }, 'latest', callTracer)).toMatchObject({
    type: 'CREATE',
  })
})

type Traced = { txHash: string; result: object }
type Steps = { structLogs: { op: string; gasCost: number; depth: number }[] }

/** A step without its cost where it calls an account without code, because no later step shows the returned gas. */
function comparable(step: Steps['structLogs'][number], index: number, steps: Steps['structLogs']) {
  const { gasCost, ...rest } = step
  return step.op === 'CALL' && steps[index + 1]?.depth === step.depth ? rest : { ...rest, gasCost }
}
