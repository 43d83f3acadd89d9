import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectionsOfAddress } from '../../src/protocols/connections.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { openWorld, type World } from '../world.ts'

const lines: string[] = []
let world: World
beforeAll(async () => {
  world = await openWorld({ LOG_LEVEL: 'warn' }, { write: (line) => void lines.push(line) })
})
afterAll(async () => await world[Symbol.asyncDispose]())

const opened = new Set<Socket>()
afterAll(() => {
  for (const socket of opened) socket.destroy()
})

const portsOf = ({ urls }: World) =>
  [urls.http, urls.rpc, urls.l1 ?? '', `http://${urls.grpc}`].map((url) => Number(new URL(url).port))

/** A connection that stays open, and what the server sent on it. */
async function open(port: number): Promise<{ socket: Socket; isOpen: () => boolean; text: () => string }> {
  const socket = connect(port, '127.0.0.1')
  opened.add(socket)
  let text = ''
  socket.on('data', (bytes) => (text += bytes.toString('latin1'))).on('error', () => undefined)
  await once(socket, 'connect')
  return { socket, isOpen: () => !socket.destroyed && !socket.readableEnded, text: () => text }
}

/** Opens connections one after another, on each port in turn. */
async function openMany(ports: number[], count: number): Promise<Awaited<ReturnType<typeof open>>[]> {
  const open_ = []
  for (let index = 0; index < count; index += 1) open_.push(await open(ports[index % ports.length] ?? 0))
  return open_
}

test('an address has 500 connections over all ports, and more once some have closed', async () => {
  const ports = portsOf(world)
  const many = await openMany(ports, connectionsOfAddress)
  // Every connection is accepted once a later one on each port was answered.
  const refused = await openMany(ports, ports.length)
  for (const one of refused) await until(async () => !one.isOpen(), 'the end of a connection too many')
  for (const { text } of refused.slice(0, 3))
    expect(text()).toMatch(/^HTTP\/1\.1 429 [\s\S]*500 connections[\s\S]*"code":"RATE_LIMITED"/)
  expect(many.filter(({ isOpen }) => !isOpen())).toEqual([])
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ setting }) => setting === 'TRUSTED_PROXIES')
  expect(warnings).toEqual([expect.objectContaining({ found: '127.0.0.1', level: 40 })])
  for (const { socket } of many) socket.destroy()
  await until(async () => (await fetch(`${world.urls.http}/health/live`).catch(() => null))?.status === 200, 'a place')
})

test('a proxy that the operator named has as many as it needs', async () => {
  await using behindProxy = await openWorld({ TRUSTED_PROXIES: '127.0.0.0/8' })
  const many = await openMany(portsOf(behindProxy), connectionsOfAddress + 20)
  expect((await fetch(`${behindProxy.urls.http}/health/live`)).status).toBe(200)
  expect(many.filter(({ isOpen }) => !isOpen())).toEqual([])
  for (const { socket } of many) socket.destroy()
})
