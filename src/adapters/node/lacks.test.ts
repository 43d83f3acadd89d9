import { expect, test } from 'vitest'
import { neverAborts } from '../../kit/values.ts'
import { silence } from './errors/failures.ts'
import { nodeError } from './errors/node-errors.ts'
import { findLacks, type Lack, lacksSaid, without } from './lacks.ts'

const hash = `0x${'ab'.repeat(32)}`
const someone = `0x${'11'.repeat(20)}`

/** A node that refuses what `refuses` has an error for, and answers everything else. */
function nodeThat(refuses: (method: string, params: readonly unknown[]) => { code: number; message: string } | null) {
  const calls: [string, readonly unknown[]][] = []
  const direct = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    calls.push([method, params])
    const error = refuses(method, params)
    if (error !== null) throw nodeError(method, error)
    if (method === 'eth_call') return params[2] === undefined ? '0x' : `0x${'5eed'.padStart(64, '0')}`
    if (method.startsWith('eth_getBlockBy'))
      return { hash, number: '0x7', transactions: ['0x1', params[0] === '0x7' ? '0x9' : '0x2'] }
    if (method === 'eth_getTransactionReceipt')
      return { transactionHash: params[0], blockHash: params[0] === '0x9' ? '0x' : hash }
    return {}
  }
  return { calls, direct }
}

const unknown = (method: string) => ({ code: -32_601, message: `the method ${method} does not exist` })

test('a node that has everything lacks nothing, by eight calls', async () => {
  const node = nodeThat(() => null)
  expect(await findLacks(node)).toEqual(new Set())
  expect(node.calls).toHaveLength(8)
  expect(lacksSaid(1, new Set())).toBeNull()
})

test('one that has nothing lacks everything, which is one line', async () => {
  const lacks = await findLacks(
    nodeThat((method, params) => (params[0] === 'latest' && method.endsWith('ByNumber') ? null : unknown(method))),
  )
  expect(lacksSaid(8_453, lacks)).toMatch(
    /^Chain 8453: no eth_createAccessList, no state overrides in eth_call, no eth_simulateV1, no eth_getBlockReceipts, no block tag safe, no block tag finalized, no block named by its hash in eth_call; trades are refused/,
  )
})

test('what a silent node has is not known, and nothing is said of it', async () => {
  const silent = { direct: async () => await Promise.reject(silence(new Error('gone'))) }
  expect(await findLacks(silent)).toEqual(new Set())
})

test('a node that fails once lacks nothing', async () => {
  const failed = new Set<string>()
  const flaky = nodeThat((method, params) => {
    const question = JSON.stringify([method, params])
    if (params[0] === 'latest' || failed.has(question)) return null
    failed.add(question)
    return { code: -32_603, message: 'internal error' }
  })
  expect(await findLacks(flaky)).toEqual(new Set())
})

test('an error of a method that is there is no lack', async () => {
  const poor = nodeThat((method) =>
    method === 'eth_createAccessList' ? { code: -32_000, message: 'insufficient funds for gas * price + value' } : null,
  )
  expect(await findLacks(poor)).toEqual(new Set())
})

test('a block is named by its number where the node takes no hash, found once', async () => {
  const node = nodeThat(() => null)
  const request = without(new Set<Lack>(['block by hash']), node.direct)
  const named = { blockHash: hash, requireCanonical: true }
  await request('eth_call', [{ to: someone }, named], neverAborts)
  await request('eth_getStorageAt', [someone, hash, hash], neverAborts)
  await request('eth_getLogs', [{ blockHash: hash }], neverAborts)
  expect(node.calls).toEqual([
    ['eth_getBlockByHash', [hash, false]],
    ['eth_call', [{ to: someone }, '0x7']],
    ['eth_getStorageAt', [someone, hash, '0x7']],
    ['eth_getLogs', [{ blockHash: hash }]],
  ])
})

test('the receipts of a block are read one by one where the node has no method for them', async () => {
  const node = nodeThat((method) => (method === 'eth_getBlockReceipts' ? unknown(method) : null))
  const request = without(new Set<Lack>(['block receipts']), node.direct)
  expect(await request('eth_getBlockReceipts', ['latest'], neverAborts)).toEqual([
    { transactionHash: '0x1', blockHash: hash },
    { transactionHash: '0x2', blockHash: hash },
  ])
  // The second transaction has moved to another block since.
  await expect(request('eth_getBlockReceipts', ['0x7'], neverAborts)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
