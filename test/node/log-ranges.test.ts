import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicNode } from '../../src/adapters/chain/fixtures/nodes.ts'
import { neverAborts } from '../../src/kit/values.ts'
import { type Fault, openNodeProxy } from '../real-node/node-proxy.ts'
import { type Anvil, anvilChainId, freePort, startAnvil } from './anvil.ts'

let anvil: Anvil
beforeAll(async () => {
  anvil = await startAnvil()
  await anvil.mine(60)
})
afterAll(async () => await anvil?.[Symbol.asyncDispose]())

const wide = [{ fromBlock: '0x1', toBlock: '0x3c' }]

test('a node that gives ten blocks of logs serves sixty, for callers and for trades, and is asked for ten from then on', async () => {
  const message =
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Upgrade to PAYG.'
  const faults: Fault[] = [{ does: 'narrow-logs', blocks: 10, message }]
  await using proxy = await openNodeProxy(anvil.url, { faults })
  await using node = await publicNode([proxy.url], anvilChainId)
  proxy.forget()
  expect(await node.request('eth_getLogs', wide, neverAborts)).toEqual([])
  expect(proxy.calls.eth_getLogs).toBe(1 + 6)
  proxy.forget()
  expect(await node.direct('eth_getLogs', wide, neverAborts, { unanimous: true })).toEqual([])
  expect(proxy.calls.eth_getLogs).toBe(6)
})

test('a refusal may come with the status 400 or 413', async () => {
  for (const status of [400, 413]) {
    const port = await freePort()
    let parts = 0
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: typeof wide }
      const [{ fromBlock, toBlock }] = (method === 'eth_getLogs' ? params : wide) as typeof wide & [(typeof wide)[0]]
      if (method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 20) {
        const error = { code: -32_602, message: 'query exceeds max block range 20' }
        response.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', id, error }))
        return
      }
      if (method === 'eth_getLogs') parts += 1
      const answer = await fetch(anvil.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      })
      response.end(await answer.text())
    })
    server.listen(port, '127.0.0.1')
    try {
      await using node = await publicNode([`http://127.0.0.1:${port}`], anvilChainId)
      expect(await node.request('eth_getLogs', wide, neverAborts)).toEqual([])
      expect(parts).toBe(3)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }
})
