import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { nodePool } from './node-pool.ts'

const never = new AbortController().signal
const servers = new DisposableStack()
afterAll(() => servers.dispose())

async function node(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('an answer without end is cut off, and no other node is asked for it or rests for it', async () => {
  let asked = 0
  const endless = await node((_, response) => {
    const chunk = Buffer.alloc(1_048_576, '1')
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', write)
    write()
  })
  const other = await node((_, response) => {
    asked += 1
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
  })
  const pool = nodePool([endless, other])
  for (let round = 0; round < 2; round += 1)
    await expect(pool.request('debug_traceTransaction', [], never)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  expect(asked).toBe(0)
})

test("an answer that does not suit is another node's to better, and stands where none does", async () => {
  const answering = async (result: string) =>
    await node((_, response) => response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: JSON.parse(result) })))
  const refusing = await node((_, response) => response.end('{"id":1,"error":{"code":-32602,"message":"too old"}}'))
  const pool = nodePool([await answering('[]'), await answering('[1]'), await answering('[2]')])
  const longerThan = (length: number) => (answer: unknown) => (answer as unknown[]).length > length
  expect(await pool.request('eth_getLogs', [], never)).toEqual([])
  expect(await pool.request('eth_getLogs', [], never, longerThan(0))).toEqual([1])
  expect(await pool.request('eth_getLogs', [], never, longerThan(1))).toEqual([])
  const odd = nodePool([await answering('[]'), refusing, await answering('[1]')])
  expect(await odd.request('eth_getLogs', [], never, longerThan(0))).toEqual([1])
  expect(await odd.request('eth_getLogs', [], never, longerThan(1))).toEqual([])
})
