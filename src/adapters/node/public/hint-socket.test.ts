import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { hintSocket } from './hint-socket.ts'

test('user and password of an address are sent, as a header', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const hints = hintSocket(`ws://user:p%40ss@127.0.0.1:${port}/path?key=1`, { head: () => {}, pending: () => {} })
  const [request, socket] = (await once(server, 'upgrade')) as [IncomingMessage, { destroy(): void }]
  hints.close()
  socket.destroy()
  server.close()
  expect([request.url, request.headers.authorization]).toEqual(['/path?key=1', `Basic ${btoa('user:p@ss')}`])
})
