import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { createStreamSocket } from './stream-socket.ts'

test('many streams are requested a hundred at a time, and all are joined', async () => {
  const requested: string[][] = []
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (socket) =>
    socket.on('message', (bytes) => {
      const { id, params } = JSON.parse(String(bytes))
      requested.push(params)
      socket.send(JSON.stringify({ id, result: null }))
    }),
  )
  await new Promise<void>((resolve) => server.once('listening', resolve))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const socket = createStreamSocket({ url, times: { gatherMs: 1 } })
  const names = Array.from({ length: 250 }, (_, index) => `stream-${index}`)
  const joined = new Set<string>()
  const listener = (name: string) => ({ joined: () => joined.add(name), message() {}, lost() {} })
  for (const name of names) socket.join(name, listener(name))
  await expect.poll(() => joined.size).toBe(250)
  expect(requested.map(({ length }) => length)).toEqual([100, 100, 50])
  expect(requested.flat()).toEqual(names)
  socket.close()
  for (const client of server.clients) client.terminate()
  await new Promise((resolve) => server.close(resolve))
})

test('a request that the exchange refuses is sent again on another connection', async () => {
  let connections = 0
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (socket) => {
    connections += 1
    const isFirst = connections === 1
    socket.on('message', (bytes) => {
      const { id } = JSON.parse(String(bytes))
      socket.send(JSON.stringify(isFirst ? { error: { code: 2, msg: 'Invalid request' }, id } : { id, result: null }))
    })
  })
  await new Promise<void>((resolve) => server.once('listening', resolve))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const socket = createStreamSocket({ url, times: { gatherMs: 1, pauseMs: 1 } })
  const events: string[] = []
  socket.join('a', { joined: () => events.push('joined'), lost: () => events.push('lost'), message() {} })
  await expect.poll(() => events).toEqual(['lost', 'joined'])
  expect(connections).toBe(2)
  socket.close()
  for (const client of server.clients) client.terminate()
  await new Promise((resolve) => server.close(resolve))
})
