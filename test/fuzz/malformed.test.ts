import { Agent, request as httpRequest } from 'node:http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openRpcSocket, type RpcSocket } from '../clients/rpc-socket.ts'
import { serveRpcWorld } from '../protocols/rpc-world.ts'
import { samplesOf, sharesOf } from './samples.ts'

/** Invalid envelopes: no JSON, no object, no version, no method, wrong params and wrong ids. */
const malformed: fc.Arbitrary<string | Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from([0xff, ...bytes])),
  fc.string({ maxLength: 60 }).map((text) => `{${text}`),
  fc.constantFrom('', '[', '{}', '[]', 'null', '0', '"x"', '{"jsonrpc":"2.0"', `${'['.repeat(5_000)}`),
  fc.integer({ min: 1, max: 30_000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  fc
    .record(
      {
        jsonrpc: fc.constantFrom('1.0', 2, null),
        method: fc.jsonValue({ maxDepth: 1 }),
        params: fc.jsonValue({ maxDepth: 1 }),
        id: fc.jsonValue({ maxDepth: 1 }),
        ['__proto__']: fc.constant('x'),
      },
      { requiredKeys: ['jsonrpc'] },
    )
    .map((envelope) => JSON.stringify(envelope)),
  fc.jsonValue({ maxDepth: 1 }).map((id) => JSON.stringify({ jsonrpc: '2.0', id: { id }, method: 'eth_chainId' })),
  fc
    .constantFrom('x', 7, true)
    .map((params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params })),
)

const batchOf = (envelopes: readonly (string | Buffer)[]) =>
  `[${envelopes.map((envelope) => (isJson(envelope) ? String(envelope) : '7')).join(',')}]`

test('100,000 malformed envelopes are each refused over sockets, by POST and in batches, and the server serves on', async () => {
  await using world = await opened()
  const envelopes = samplesOf(malformed, 20_000)
  const sockets = await Promise.all(Array.from({ length: 4 }, () => openRpcSocket(world.url)))

  await Promise.all(sockets.map((rpc) => refuseAll(rpc, envelopes)))
  await postAll(world.url, envelopes.slice(0, sharesOf(4_000)))
  for (let from = 0; from < sharesOf(16_000); from += 100) {
    sockets[0]?.send(batchOf(envelopes.slice(from, from + 100)))
    const answers = await sockets[0]?.next()
    expect(codesOf(answers).every((code) => code === -32600)).toBe(true)
  }

  for (const rpc of sockets) {
    expect(await rpc.ask('eth_chainId')).toHaveProperty('result')
    rpc.socket.close()
  }
  expect(world.unexpected).toEqual([])
})

async function opened() {
  const world = await serveRpcWorld()
  return { ...world, [Symbol.asyncDispose]: () => world.close() }
}

/** Sends all without waiting, and reads a refusal for each. */
async function refuseAll(rpc: RpcSocket, envelopes: readonly (string | Buffer)[]): Promise<void> {
  for (const envelope of envelopes) rpc.send(envelope)
  for (const _ of envelopes) for (const code of codesOf(await rpc.next())) expect([-32700, -32600]).toContain(code)
}

async function postAll(url: string, envelopes: readonly (string | Buffer)[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const queue = envelopes.values()
  const worker = async () => {
    for (const envelope of queue)
      for (const code of codesOf(JSON.parse(await post(agent, url, envelope)))) expect([-32700, -32600]).toContain(code)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  agent.destroy()
}

async function post(agent: Agent, url: string, body: string | Buffer): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const sent = httpRequest(url, { method: 'POST', agent, headers }, async (response) => {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    resolve(String(Buffer.concat(chunks)))
  })
  sent.on('error', reject)
  sent.end(body)
  return await promise
}

function codesOf(answers: unknown): number[] {
  return [answers].flat().map((answer) => (answer as { error: { code: number } }).error.code)
}

function isJson(text: string | Buffer): boolean {
  try {
    JSON.parse(String(text))
    return true
  } catch {
    return false
  }
}
