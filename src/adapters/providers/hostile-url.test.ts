import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { internet, type Network } from './hostile-url.ts'
import { createSubgraphs } from './subgraphs.ts'

test('a connection goes to the address that was checked, whatever the name says later', async () => {
  const plain = createServer((_request, response) => response.end('reached'))
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  const { port } = plain.address() as AddressInfo
  const agent = internet().pinned({ address: '127.0.0.1', family: 4 })
  const { body } = await agent.request({ origin: `http://rebound.example:${port}`, path: '/', method: 'GET' })
  expect(await body.text()).toBe('reached')
  await agent.destroy()
  await new Promise((resolve) => plain.close(resolve))
})

/** A name server over UDP: it answers names that begin with `good` by an address, `local` by one of this machine. */
async function nameServer() {
  const asked: string[] = []
  const socket = createSocket('udp4', (query, from) => {
    const end = query.indexOf(0, 12)
    const name = query.toString('latin1', 13, 13 + (query[12] ?? 0))
    const type = query.readUInt16BE(end + 1)
    asked.push(name)
    if (name.startsWith('silent')) return
    const address =
      type !== 1 ? null : name.startsWith('good') ? [93, 184, 216, 34] : name.startsWith('local') ? [10, 0, 0, 1] : null
    const flags = address === null && type === 1 ? 0x8183 : 0x8180
    const head = Buffer.from([
      ...query.subarray(0, 2),
      flags >> 8,
      flags & 255,
      0,
      1,
      0,
      address === null ? 0 : 1,
      0,
      0,
      0,
      0,
    ])
    const record = address === null ? [] : [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]
    socket.send(Buffer.concat([head, query.subarray(12, end + 5), Buffer.from(record)]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { asked, address: `127.0.0.1:${socket.address().port}`, [Symbol.dispose]: () => socket.close() }
}

test('names that are not answered delay no other account, and end in time or with their request', async () => {
  using server = await nameServer()
  const subgraphs = createSubgraphs({ own: null, key: null, network: unconnected(server.address) })
  const ask = (host: string, account: number, signal = new AbortController().signal) =>
    subgraphs.query(`https://${host}.example/`, { query: '{ a }', variables: {} }, { account, signal }).then(
      () => 'answered',
      (error: Error) => error.message,
    )
  const leaving = new AbortController()
  const silent = Array.from({ length: 90 }, (_, index) => ask(`silent${index}`, 1, leaving.signal))
  expect(await Promise.all(['good', 'local', 'unknown'].map((name) => ask(name, 2)))).toEqual([
    'connected to 93.184.216.34',
    'subgraph: has a host without a public IP address',
    'subgraph: has a host without a public IP address',
  ])
  expect(new Set(server.asked.filter((name) => name.startsWith('silent'))).size).toBe(3)
  // Three run and thirty wait; the first ones end by themselves.
  expect((await Promise.all(silent.slice(33))).every((message) => /^Too many host names/.test(message))).toBe(true)
  expect(await Promise.all(silent.slice(0, 3))).toEqual(
    Array(3).fill('subgraph: has a host without a public IP address'),
  )
  leaving.abort(new Error('left'))
  expect(new Set(await Promise.all(silent.slice(3, 33)))).toEqual(
    new Set(['The call was cancelled before its result was ready.']),
  )
})

/** The internet with another name server, and without connections. */
function unconnected(server: string): Network {
  return {
    ...internet([server]),
    pinned: ({ address }) => {
      throw new Error(`connected to ${address}`)
    },
  }
}
