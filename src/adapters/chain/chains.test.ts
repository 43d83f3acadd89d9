import { expect, test } from 'vitest'
import { openChains } from './chains.ts'
import { callsOnly } from './fixtures/nodes.ts'
import { readDeployment } from './public-chain.ts'

const node = callsOnly(() => Promise.reject(new Error('no node')))
const options = (chainId: number) => ({ deployment: readDeployment(chainId), node, sandbox: false })

test('chains are found by id, the first is the default one', () => {
  const chains = openChains([options(8453), options(1)])
  expect(chains.default.info).toMatchObject({ id: 8453, name: 'base', explorerUrl: 'https://basescan.org' })
  expect(chains.find(1)?.info.name).toBe('ethereum')
  expect(chains.find(10)).toBeNull()
})

test('none, and two of one id, are refused', () => {
  expect(() => openChains([])).toThrow(/CHAIN_RPC_URL/)
  expect(() => openChains([options(1), options(1)])).toThrow(/same id/)
})

test('another explorer stands in for the usual one', () => {
  const [chain] = openChains([{ ...options(1), explorerUrl: 'http://127.0.0.1:8000/explorer/' }]).all
  expect(chain?.info.explorerUrl).toBe('http://127.0.0.1:8000/explorer')
})
