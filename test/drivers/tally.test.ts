import { expect, test } from 'vitest'
import { startAnvil } from '../node/anvil.ts'
import { truthOf } from './tally.ts'

test('logs that are not all those of a block, or are none of its, do not pass for the truth', async () => {
  await using anvil = await startAnvil()
  const [from] = await anvil.call('eth_accounts')
  // Writes a log without topics, then one with the topic 7.
  await anvil.call('eth_sendTransaction', { from, data: '0x5f5fa060075f5fa1' })
  await anvil.mine()
  await anvil.mine()
  const truth = await truthOf(anvil.call, 1)
  expect(truth).toMatchObject({ logs: [{ topics: [] }, { topics: [expect.stringMatching(/7$/)] }], unproven: [] })
  const number = truth.logs[0]!.blockNumber
  const provenWith = async (change: (logs: unknown[]) => unknown[] | undefined) => {
    const ask = async (method: string, ...params: unknown[]) => {
      const answer = await anvil.call(method, ...params)
      return method === 'eth_getLogs' && answer.length > 0 ? change(answer) : answer
    }
    return (await truthOf(ask, 1)).unproven
  }
  expect(await provenWith((logs) => logs)).toEqual([])
  const odd: ((logs: unknown[]) => unknown[] | undefined)[] = [
    () => undefined,
    () => [],
    (logs) => logs.slice(1),
    (logs) => logs.slice(0, 1),
    (logs) => logs.toReversed(),
    (logs) => logs.map((log) => ({ ...(log as object), address: `0x${'11'.repeat(20)}` })),
  ]
  for (const change of odd) expect(await provenWith(change)).toEqual([number])
})
