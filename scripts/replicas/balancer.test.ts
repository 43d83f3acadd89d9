import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Balancer, startBalancer } from './balancer.ts'

/** A gateway as far as a balancer knows one: it says how it is, and its name. `status` 0 leaves callers without an answer. */
async function startFake(name: string) {
  const fake = { name, status: 200, http: 0, server: createServer() }
  fake.server.on('request', (request, response) => {
    const status = request.url === '/health/ready' ? fake.status : 200
    if (status !== 0) response.writeHead(status).end(fake.name)
  })
  fake.http = await listening(fake.server, 0)
  const end = () => {
    fake.server.closeAllConnections()
    fake.server.close()
  }
  return Object.assign(fake, { end, [Symbol.asyncDispose]: async () => end() })
}

async function listening(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function open(...fakes: { http: number }[]): Promise<Balancer> {
  const ports = fakes.map(({ http }) => ({ http, grpc: http, rpc: http }))
  return await startBalancer(ports, { http: 0, grpc: 0, rpc: 0 })
}

/** Who answers on a connection of its own. */
async function asked({ ports }: Balancer): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${ports.http}/`, { headers: { connection: 'close' } })
  return await response.text()
}

async function askedTimes(balancer: Balancer, times: number): Promise<string[]> {
  const names: string[] = []
  for (let count = 0; count < times; count += 1) names.push(await asked(balancer))
  return names
}

test('gateways that are ready take connections in turn, and one that refuses them is passed over', async () => {
  await using first = await startFake('first')
  await using second = await startFake('second')
  await using balancer = await open(first, second)
  expect((await askedTimes(balancer, 4)).toSorted()).toEqual(['first', 'first', 'second', 'second'])
  first.end()
  expect(await askedTimes(balancer, 4)).toEqual(Array(4).fill('second'))
})

test('a gateway that is not ready gets no connections and keeps those it has; where none is ready, it gets them', async () => {
  await using first = await startFake('first')
  await using second = await startFake('second')
  await using balancer = await open(first, second)
  const kept = [connect(balancer.ports.http, '127.0.0.1'), connect(balancer.ports.http, '127.0.0.1')]
  await Promise.all(kept.map((socket) => once(socket, 'connect')))
  first.status = 503
  await until(() => balancer.standings()[0] === 'unready', 'the balancer to know')
  expect(await askedTimes(balancer, 3)).toEqual(Array(3).fill('second'))
  for (const socket of kept) {
    socket.write('GET / HTTP/1.1\r\nhost: gateway\r\n\r\n')
    expect(String((await once(socket, 'data'))[0])).toContain('200 OK')
    socket.destroy()
  }
  second.status = 503
  await until(() => balancer.standings()[1] === 'unready', 'the balancer to know')
  expect(new Set(await askedTimes(balancer, 4))).toEqual(new Set(['first', 'second']))
})

test('connections to a gateway that does not answer are cut, and a gateway that comes back is used again', async () => {
  await using first = await startFake('first')
  await using balancer = await open(first)
  const held = connect(balancer.ports.http, '127.0.0.1').on('error', () => undefined)
  await once(held, 'connect')
  const cut = once(held, 'close')
  await sleep(50)
  first.status = 0
  await cut
  expect(balancer.standings()).toEqual(['silent'])
  first.status = 200
  await until(() => balancer.standings()[0] === 'ready', 'the balancer to know')
  expect(await asked(balancer)).toBe('first')
})
