import { keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChainNode } from '../../src/adapters/node/chain-node.ts'
import { publicUpstream } from '../../src/adapters/node/public/public-upstream.ts'
import { DomainError } from '../../src/domain/core/errors.ts'
import { sendRawTransactionSync } from '../../src/domain/node/sequencing.ts'
import { type Anvil, type Door, startAnvil } from './anvil.ts'
import { openWorld } from './public-world.ts'

let anvil: Anvil
let account: string
beforeAll(async () => {
  anvil = await startAnvil()
  ;[account] = await anvil.call('eth_accounts')
  await anvil.mine(3)
})
afterAll(async () => await anvil[Symbol.asyncDispose]())

test('another node stands in for one that fails in any way, and no error says an address', async () => {
  await using world = await openWorld(anvil, 2)
  const [first, second] = world.doors
  const balance = async () => await world.ask('eth_getBalance', account, 'latest')
  const expected = await anvil.call('eth_getBalance', account, 'latest')
  for (const fault of [
    (_: string, response: { destroy(): void }) => response.destroy(),
    (_: string, response: { writeHead(code: number): { end(text: string): void } }) =>
      response.writeHead(502).end('<html>bad gateway</html>'),
    (_: string, response: { writeHead(code: number): { end(text: string): void } }) => response.writeHead(429).end(''),
    (_: string, response: { end(text: string): void }) => response.end('{"jsonrpc":"2.0"'),
    (_: string, response: { end(text: string): void }) =>
      response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}'),
  ]) {
    first!.instead = fault as Door['instead']
    expect(await balance()).toBe(expected)
  }
  second!.instead = first!.instead = (_, response) => void response.destroy()
  const failure = await balance().catch((error: Error) => error)
  expect(failure).toMatchObject({ code: 'UNAVAILABLE' })
  expect(JSON.stringify([failure, (failure as Error).message, String((failure as Error).cause)])).not.toContain(
    'secret',
  )
  first!.instead = second!.instead = null
  expect(await balance()).toBe(expected)
})

test('a node that does not respond is skipped, and used again once it responds', async () => {
  await using world = await openWorld(anvil, 2, { timeoutMs: 2_000, pollMs: 60_000 })
  const [first, second] = world.doors
  first!.instead = () => {}
  expect(await world.ask('eth_getBalance', account, 'latest')).toMatch(/^0x/)
  expect(await world.ask('eth_gasPrice')).toMatch(/^0x/)
  second!.instead = () => {}
  await expect(world.ask('eth_getBalance', account, 'latest')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(world.ask('eth_getLogs', {})).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  first!.instead = null
  expect(await world.ask('eth_getBalance', account, 'latest')).toMatch(/^0x/)
})

test('who waits for a block learns the hash of what was sent also where the node goes away meanwhile', async () => {
  await using world = await openWorld(anvil, 1, { timeoutMs: 1_000 })
  const [door] = world.doors
  const fields = { from: account, to: account, value: '0x1', gas: '0x5208', gasPrice: '0x77359400' }
  const nonce = await anvil.call('eth_getTransactionCount', account, 'pending')
  const transaction = await anvil.call('eth_signTransaction', { ...fields, nonce })
  door!.instead = (method, response) => (method === 'eth_sendRawTransaction' ? false : response.destroy())
  const fail = (...given: ConstructorParameters<typeof DomainError>) => new DomainError(...given)
  const call = { signal: new AbortController().signal, fail } as never
  const failure = await sendRawTransactionSync({ node: world.node }, { transaction }, call).catch((error) => error)
  const hash = keccak256(transaction)
  expect(failure).toMatchObject({
    code: 'NOT_INCLUDED_YET',
    message: expect.stringContaining(hash),
    details: { metadata: { data: hash } },
    cause: { code: 'UNAVAILABLE' },
  })
  await anvil.mine()
  expect(await anvil.call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
})

test('a caller that disconnects is released at once', async () => {
  await using world = await openWorld(anvil)
  world.doors[0]!.instead = () => {}
  const leaving = new AbortController()
  const asked = world.node.request('eth_getBalance', [account, 'latest'], leaving.signal)
  leaving.abort()
  await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('a transaction that a node took without saying so is not refused by the next one', async () => {
  await using world = await openWorld(anvil, 2)
  const [first] = world.doors
  const request = { from: account, to: account, value: '0x1', gas: '0x5208' }
  const raw = (await anvil.call('eth_signTransaction', { ...request, ...(await feesAndNonce()) })) as string
  first!.instead = (method, response) => {
    // The node accepts it, unless it got it through the second door, and the response is lost.
    const lose = () => void response.destroy()
    if (method === 'eth_sendRawTransaction') void anvil.call(method, raw).then(lose, lose)
    else response.destroy()
  }
  const hash = await world.ask('eth_sendRawTransaction', raw)
  expect(await anvil.call('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockHash: null })
  expect(world.node.pendingBetween(new Date(0), new Date(Date.now() + 1))).toEqual([hash])
  expect(await world.ask('eth_sendRawTransaction', raw)).toBe(hash)
  await anvil.mine()
  expect(await world.ask('eth_sendRawTransaction', raw)).toBe(hash)
})

test('what the node lacks is said so, and a node of another chain is refused', async () => {
  await using world = await openWorld(anvil)
  await expect(world.ask('rollup_syncStatus')).rejects.toMatchObject({
    code: 'UNIMPLEMENTED',
    message: 'The node behind this gateway does not serve rollup_syncStatus.',
  })
  await using upstream = await publicUpstream({ rpcUrls: [anvil.url], wsUrl: null })
  await expect(openChainNode({ upstream, chainId: 1, pollMs: 1_000 })).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
    message: expect.stringContaining('4242'),
  })
})

async function feesAndNonce() {
  const [nonce, chainId] = await Promise.all([
    anvil.call('eth_getTransactionCount', account, 'latest'),
    anvil.call('eth_chainId'),
  ])
  return { nonce, chainId, type: '0x2', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
}
