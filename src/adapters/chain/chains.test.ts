import { expect, test } from 'vitest'
import { callsOnly } from './fixtures/nodes.ts'
import { readDeployment } from './public-chain.ts'
import { joinChains, openChain } from './viem-chain.ts'

const node = callsOnly(() => Promise.reject(new Error('no node')))
const open = (chainId: number) => openChain({ deployment: readDeployment(chainId), node, sandbox: false })

test('chains are found by id, the first is the default one', () => {
  const chains = joinChains(open(8453), open(1))
  expect(chains.default.info).toMatchObject({ id: 8453, name: 'base', explorerUrl: 'https://basescan.org' })
  expect(chains.find(1)?.info.name).toBe('ethereum')
  expect(chains.find(10)).toBeNull()
})

test('another explorer stands in for the usual one', () => {
  const explorerUrl = 'http://127.0.0.1:8000/explorer/'
  const chain = openChain({ deployment: readDeployment(1), node, sandbox: false, explorerUrl })
  expect(chain.info.explorerUrl).toBe('http://127.0.0.1:8000/explorer')
})
