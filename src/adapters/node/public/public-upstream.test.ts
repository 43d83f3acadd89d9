import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { publicUpstream } from './public-upstream.ts'

test('a block hash is sent as EIP-1898 requires, all other parameters as they are', async () => {
  const received: Record<string, unknown> = {}
  const server = createServer(async (request, response) => {
    const { method, params } = (await json(request)) as { method: string; params: unknown }
    received[method] = params
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const rpcUrls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`]
  const never = new AbortController().signal
  const hash = `0x${'11'.repeat(32)}`
  const address = `0x${'22'.repeat(20)}`
  await using upstream = await publicUpstream({ rpcUrls, wsUrl: null })
  await upstream.request('eth_getBalance', [address, hash], never)
  await upstream.request('eth_getProof', [address, [hash], hash], never)
  await upstream.request('eth_getCode', [address, '0xa'], never)
  await upstream.request('eth_getBlockByHash', [hash, false], never)
  await upstream.request('eth_feeHistory', ['0x2', 'latest'], never)
  await upstream.direct('eth_getStorageAt', [address, '0x0', hash], never)
  expect(received).toMatchObject({
    eth_getBalance: [address, { blockHash: hash }],
    eth_getProof: [address, [hash], { blockHash: hash }],
    eth_getCode: [address, '0xa'],
    eth_getBlockByHash: [hash, false],
    eth_feeHistory: ['0x2', 'latest', []],
    eth_getStorageAt: [address, '0x0', hash],
  })
  server.close()
  server.closeAllConnections()
})

test('the time of a waiting transaction, which newer nodes write as null, is left out', async () => {
  const waiting = { hash: `0x${'11'.repeat(32)}`, blockNumber: null, blockTimestamp: null }
  const results: Record<string, unknown> = {
    eth_getTransactionByHash: waiting,
    txpool_content: { pending: { '0xAb': { '7': waiting } }, queued: {} },
    txpool_contentFrom: { pending: {}, queued: { '7': waiting } },
  }
  const server = createServer(async (request, response) => {
    const { method } = (await json(request)) as { method: string }
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: results[method] ?? '0x1' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const rpcUrls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`]
  await using upstream = await publicUpstream({ rpcUrls, wsUrl: null })
  const ask = (method: string) => upstream.request(method, [], new AbortController().signal)
  const { blockTimestamp: _, ...plain } = waiting
  expect(await ask('eth_getTransactionByHash')).toEqual(plain)
  expect(await ask('txpool_content')).toEqual({ pending: { '0xAb': { '7': plain } }, queued: {} })
  expect(await ask('txpool_contentFrom')).toEqual({ pending: {}, queued: { '7': plain } })
  server.close()
  server.closeAllConnections()
})
