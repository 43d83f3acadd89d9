import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { request, rpcWorlds } from '../../../test/protocols/rpc-world.ts'

const open = rpcWorlds()

/** Posts a call under a Host header, which fetch does not allow. */
async function statusUnder(url: string, host: string): Promise<number | undefined> {
  const headers = { host, 'content-type': 'application/json' }
  const sent = httpRequest(url, { method: 'POST', headers }).end(JSON.stringify(request('eth_chainId')))
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode
}

test('a name that was pointed at the node reads nothing from it', async () => {
  const { url, port } = await open()
  expect(await statusUnder(url, `evil.example:${port}`)).toBe(403)
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `node.example:${port}`, `[::1]:${port}`])
    expect(await statusUnder(url, host), host).toBe(200)
})

test('nor by WebSocket', async () => {
  const { port } = await open()
  const handshake = async (host: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    )
    const [head] = await once(socket, 'data')
    socket.destroy()
    return String(head).split(' ')[1]
  }
  expect(await handshake('evil.example')).toBe('403')
  expect(await handshake(`node.example:${port}`)).toBe('101')
})
