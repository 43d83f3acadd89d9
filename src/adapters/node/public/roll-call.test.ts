import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { rollCall } from './roll-call.ts'

const servers = new DisposableStack()
afterEach(() => servers.dispose())

async function node(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('nodes that are silent, broken or gone are named by their hosts alone, those that answer anything are not', async () => {
  const good = await node((_, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  const other = await node((_, response) => response.end('{"id":1,"error":{"code":-32601,"message":"no such method"}}'))
  const silent = await node(() => undefined)
  const broken = await node((_, response) => response.writeHead(502).end('bad gateway'))
  const locked = await node((_, response) => response.writeHead(401).end())
  const busy = await node((_, response) => response.writeHead(429).end())
  const addresses = [good, silent, other, broken, locked, busy].map(
    (host) => `http://user:secret@${host}/key-of-mine?key=secret`,
  )
  expect(await rollCall([...addresses, 'http://127.0.0.1:1/key-of-mine'], 3_000)).toEqual({
    total: 7,
    silent: [silent, `${broken} (status 502)`, `${locked} (status 401)`, '127.0.0.1:1'],
  })
  expect(await rollCall([])).toEqual({ total: 0, silent: [] })
})
