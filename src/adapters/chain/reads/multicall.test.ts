import { decodeFunctionData, encodeFunctionResult, type Hex, pad, trim } from 'viem'
import { expect, test } from 'vitest'
import { multicallAbi } from './abis.ts'
import { atNewest, blockViews } from './block-view.ts'
import type { Connection } from './connection.ts'
import { readAll } from './multicall.ts'
import type { Reading } from './views.ts'

type Call = { target: Hex; callData: Hex }
type Asked = { data: Hex; blockNumber?: bigint }

/** A chain whose contracts answer with the block's number, and calls that a test settles. */
function world(answer: (call: Call, all: readonly Call[]) => Hex | null = () => '0x01') {
  const calls: { targets: string; settle: (failure?: Error) => void }[] = []
  let hash: Hex = '0xaa'
  const call = ({ data, blockNumber }: Asked) =>
    new Promise((resolve, reject) => {
      const { args } = decodeFunctionData({ abi: multicallAbi, data })
      const all = (args as readonly [readonly Call[]])[0].map((each) => ({
        ...each,
        target: trim(each.target.toLowerCase() as Hex),
      }))
      const answers = all.map((each) => answer(each, all))
      const result = answers.map((given) => ({ success: given !== null, returnData: given ?? '0x' }))
      const settle = (failure?: Error) =>
        failure === undefined
          ? resolve({ data: encodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', result }) })
          : reject(failure)
      calls.push({ targets: `${all.map(({ target }) => target)}@${blockNumber}`, settle })
    })
  const head = async () => ({ number: 7n, hash, header: { timestamp: '0x01' } }) as const
  const connection = {
    client: { call },
    ...blockViews({ head, latest: head, hashOf: async () => hash }),
    at: ({ number }: { number: bigint }) => ({ blockNumber: number }),
    deployment: { multicall3: pad('0xcc', { size: 20 }) },
  } as unknown as Connection
  const read = async (...targets: Hex[]) =>
    await readAll(
      connection,
      targets.map(
        (target): Reading<Hex> => ({ target: pad(target, { size: 20 }), callData: '0x', decode: (data) => data }),
      ),
    )
  const begun = async (count: number) => await expect.poll(() => calls.length, { interval: 1 }).toBe(count)
  return { calls, read, begun, reorganise: () => (hash = '0xbb') }
}

test('what several ask at one block is asked once, and again after a reorganisation', async () => {
  const { calls, read, begun, reorganise } = world()
  const [first, second] = [read('0x01', '0x02'), read('0x02', '0x03')]
  await begun(2)
  expect(calls.map(({ targets }) => targets)).toEqual(['0x01,0x02@7', '0x03@7'])
  for (const { settle } of calls) settle()
  expect(await Promise.all([first, second])).toEqual([
    ['0x01', '0x01'],
    ['0x01', '0x01'],
  ])
  expect(await read('0x01', '0x03')).toEqual(['0x01', '0x01'])
  expect(calls).toHaveLength(2)
  reorganise()
  const third = read('0x01')
  await begun(3)
  calls[2]?.settle()
  expect(await third).toEqual(['0x01'])
})

test('a contract that burns the gas of the call that it is in spoils no read of another caller', async () => {
  const { calls, read, begun } = world((_, all) => (all.some(({ target }) => target === '0x0bad') ? null : '0x01'))
  const hostile = read('0x0bad', '0x02')
  await begun(1)
  const honest = read('0x02', '0x03')
  await begun(2)
  for (const { settle } of calls) settle()
  await begun(3)
  calls[2]?.settle()
  expect(await hostile).toEqual([null, null])
  expect(await honest).toEqual(['0x01', '0x01'])
  expect(calls[2]?.targets).toBe('0x02@7')
})

test('a call that fails is the failure of its caller alone', async () => {
  const { calls, read, begun } = world()
  const failing = read('0x01')
  await begun(1)
  const other = read('0x01')
  calls[0]?.settle(new Error('too slow'))
  await expect(failing).rejects.toThrow('too slow')
  await begun(2)
  calls[1]?.settle()
  expect(await other).toEqual(['0x01'])
})

test('no caller reads an older block than one that was shown', async () => {
  const blockOf = (number: bigint) => ({ number, hash: `0x${number}`, header: { timestamp: '0x01' } }) as const
  let [reported, newest] = [blockOf(7n), blockOf(8n)]
  const views = blockViews({
    head: async () => reported,
    latest: async () => newest,
    hashOf: async () => newest.hash,
  })
  const number = async () => (await views.view()).block.number
  expect(await number()).toBe(7n)
  views.saw(8n)
  expect(await number()).toBe(8n)
  reported = newest = blockOf(9n)
  expect(await number()).toBe(9n)
  views.saw(12n)
  newest = blockOf(10n) // the block that was shown has left the chain
  expect(await number()).toBe(10n)
})

test('a read that fails because its block left the chain is made again at the next one, before that is reported', async () => {
  const blockOf = (hash: Hex) => ({ number: 7n, hash, header: { timestamp: '0x1' } }) as const
  let newest = blockOf('0xaa')
  const head = async () => blockOf('0xaa')
  const views = blockViews({ head, latest: async () => newest, hashOf: async () => newest.hash })
  const read: Hex[] = []
  const reading = atNewest(views, async ({ block: { hash } }) => {
    read.push(hash)
    newest = blockOf('0xbb')
    if (hash === '0xaa') throw new Error('unknown block')
    return hash
  })
  expect(await reading).toBe('0xbb')
  expect(read).toEqual(['0xaa', '0xbb'])
  const failing = atNewest(views, async () => await Promise.reject(new Error('too slow')))
  await expect(failing).rejects.toThrow('too slow')
})
