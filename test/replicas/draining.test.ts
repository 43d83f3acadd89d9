import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client as Channel, credentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAccount } from '../accounts.ts'
import { grpcClient } from '../clients/grpc.ts'
import { restClient } from '../clients/rest.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'

/** Milliseconds of a drain in which requests are begun, and those that it lasts. */
const [begunMs, drainMs] = [1_000, 2_000]

let gateway: Gateway
let token: string
beforeAll(async () => {
  gateway = await startGateway(null, { DRAIN_SECONDS: String(drainMs / 1_000) })
  token = (await newAccount(restClient(gateway.urls.http))).token
})
afterAll(async () => await gateway?.kill())

type Answer = { status: number | undefined; closes: boolean; body: string }

/** A request over HTTP; without an agent over a connection of its own. */
async function ask(url: string, agent: Agent | false, body?: object): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, connection: 'keep-alive' }
  const method = body === undefined ? 'GET' : 'POST'
  const asked = request(url, { method, agent, headers }, async (response) => {
    const text = (await Array.fromAsync(response.setEncoding('utf8'))).join('')
    resolve({ status: response.statusCode, closes: response.headers.connection === 'close', body: text })
  })
  asked.once('error', reject)
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  return await promise
}

/** Repeats a request until `until()`; returns how often it went well, and what went wrong. */
async function load(once: () => Promise<boolean>, until: () => boolean) {
  const failures: string[] = []
  let good = 0
  while (!until()) {
    const well = await once().catch((failure: unknown) => String(failure))
    if (well === true) good += 1
    else failures.push(String(well))
    await sleep(5)
  }
  return { good, failures }
}

/** The state of the health service, 1 where it serves. */
async function grpcHealth(address: string): Promise<number | undefined> {
  const channel = new Channel(address, credentials.createInsecure())
  const raw = (bytes: Buffer) => bytes
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  channel.makeUnaryRequest('/grpc.health.v1.Health/Check', raw, raw, Buffer.alloc(0), (error, bytes) =>
    error === null ? resolve(bytes ?? Buffer.alloc(0)) : reject(error),
  )
  return await promise.then((bytes) => bytes[1]).finally(() => channel.close())
}

test('after SIGTERM no request is refused or broken until the drain ends, and readiness is 503 at once', async () => {
  const { http, grpc, rpc } = gateway.urls
  using kept = new DisposableStack()
  const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true }), new Agent({ keepAlive: true })]
  for (const agent of agents) kept.defer(() => agent.destroy())
  const channel = grpcClient(grpc)
  kept.defer(() => channel.close())
  let end = Number.POSITIVE_INFINITY
  const until = () => performance.now() > end
  const whoAmI = `${http}/api/v1/auth/whoami`
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
  const rest = (agent: Agent | false) => async () => (await ask(whoAmI, agent)).status === 200
  const node = (agent: Agent | false) => async () => (await ask(rpc, agent, call)).body.includes('0x14a34')
  const loads = [
    ...[rest(false), rest(agents[0]!), node(false), node(agents[1]!)],
    async () => (await channel.call('auth.whoAmI', {}, token)).ok,
    async () => {
      const fresh = grpcClient(grpc)
      return await fresh
        .call('auth.whoAmI', {}, token)
        .then(({ ok }) => ok)
        .finally(() => fresh.close())
    },
  ].map((once) => load(once, until))
  expect(await ask(`${http}/health/ready`, agents[2]!)).toMatchObject({ status: 200, closes: false })
  expect(await grpcHealth(grpc)).toBe(1)

  gateway.signal('SIGTERM')
  const begun = performance.now()
  end = begun + begunMs
  await expect.poll(async () => (await ask(`${http}/health/ready`, false)).status, { interval: 5 }).toBe(503)
  const ready = await ask(`${http}/health/ready`, agents[2]!)
  expect(ready).toMatchObject({ status: 503, closes: true, body: expect.stringContaining('"server":"draining"') })
  expect(await ask(`${http}/health/live`, false)).toMatchObject({ status: 200 })
  expect(await grpcHealth(grpc)).toBe(2)
  for (const { good, failures } of await Promise.all(loads)) {
    expect(failures).toEqual([])
    expect(good).toBeGreaterThan(0)
  }
  expect(await gateway.ended).toBe(0)
  expect(performance.now() - begun).toBeGreaterThan(drainMs - 100)
  expect(performance.now() - begun).toBeLessThan(15_000)
})

test.each([['SIGINT'], ['SIGTERM', 'SIGTERM'], ['SIGTERM', 'SIGINT']] as const)(
  '%s %s ends at once',
  async (...signals) => {
    await using patient = await startGateway(null, { DRAIN_SECONDS: '60' })
    const begun = performance.now()
    for (const [place, name] of signals.entries()) {
      if (place > 0)
        await expect.poll(async () => (await ask(`${patient.urls.http}/health/ready`, false)).status).toBe(503)
      patient.signal(name)
    }
    expect(await patient.ended).toBe(0)
    expect(performance.now() - begun).toBeLessThan(30_000)
  },
)
