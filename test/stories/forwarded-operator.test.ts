import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Clients, openClients } from '../clients/clients.ts'
import { rpc } from '../clients/rpc-call.ts'
import { operatorToken } from '../operator-token.ts'
import { openWorld, protocols, type World } from '../world.ts'

let world: World
let clients: Clients
let httpUrl: string
let nodeUrl: string
const forwarders: Server[] = []
beforeAll(async () => {
  world = await openWorld()
  const { http, grpc, rpc } = world.urls
  const [httpPort, grpcPort, rpcPort] = await Promise.all([http, `http://${grpc}`, rpc].map(forward))
  httpUrl = `http://127.0.0.1:${httpPort}`
  clients = openClients({ http: httpUrl, grpc: `127.0.0.1:${grpcPort}` })
  nodeUrl = `http://127.0.0.1:${rpcPort}`
})
afterAll(async () => {
  clients[Symbol.dispose]()
  for (const server of forwarders) server.close()
  await world[Symbol.asyncDispose]()
})

/** Forwards bytes to a server from another port, as a proxy on the same machine does without adding a header. */
async function forward(url: string): Promise<number> {
  const server = createServer((socket) => {
    const target = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => target.destroy())
    target.on('error', () => socket.destroy())
    socket.pipe(target).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  forwarders.push(server)
  return (server.address() as { port: number }).port
}

test.each(protocols)(
  'a caller behind a plain forwarder is not the operator over %s without the token',
  async (protocol) => {
    const client = clients[protocol]
    const halt = { scope: 'wallet', id: `0x${'12'.repeat(20)}` }
    for (const id of ['operator.haltTrading', 'operator.resumeTrading'] as const) {
      expect(await client.call(id, halt)).toMatchObject({ ok: false, code: 'UNAUTHENTICATED' })
      expect(await client.call(id, halt, 'not-the-token-of-the-operator')).toMatchObject({ code: 'UNAUTHENTICATED' })
    }
    expect(await client.call('operator.haltTrading', halt, operatorToken)).toMatchObject({ ok: true })
    expect(await client.call('operator.resumeTrading', halt, operatorToken)).toMatchObject({ ok: true })
  },
)

test('nor over JSON-RPC, nor for metrics, nor directly on this machine', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'admin_stopSequencer', params: [] })
  for (const url of [nodeUrl, world.urls.rpc]) {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    expect(response.status).toBe(401)
    const message = expect.stringMatching(/^Server error: .*operator token/)
    expect(await response.json()).toMatchObject({ error: { code: -32000, message } })
  }
  for (const url of [httpUrl, world.urls.http]) expect((await fetch(`${url}/metrics`)).status).toBe(401)
  expect((await rpc(nodeUrl, 'admin_startSequencer')).result).toBe(true)
})
