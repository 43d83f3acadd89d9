import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRpcSocket, type RpcSocket } from '../clients/rpc-socket.ts'
import { openTarget, type Tally, type Target } from './gateway.ts'
import { asksNothing, faultOf } from './rpc-answers.ts'
import { rpcTexts } from './rpc-texts.ts'
import { samplesOf } from './samples.ts'

let target: Target
let url: string
beforeAll(async () => {
  target = await openTarget()
  url = target.gateway.urls.rpc
})
afterAll(async () => await target[Symbol.asyncDispose]())

const json = { 'content-type': 'application/json' }
const texts = samplesOf(rpcTexts, 10_000)

test('envelopes by POST are each answered as JSON-RPC 2.0 says, with a code of the table', async () => {
  await target.attack('JSON-RPC envelopes by POST', async (tally) => {
    await byPost(texts, async (post, text) => {
      const { status, body } = await post(text, json)
      const read = body === '' ? null : JSON.parse(body)
      // The server takes no body at all for a request that has none.
      const fault = text.length === 0 ? null : faultOf(text, read)
      // A call of the operator is refused as such where it is sent alone.
      if (fault !== null || ![200, 204, 401].includes(status))
        tally.undeclared.push(`${status} ${fault} to ${shown(text)}`)
      count(tally, read)
    })
  })
})

test('envelopes over sockets are each answered so, and a normal question after each', async () => {
  await target.attack('JSON-RPC envelopes over WebSocket', async (tally) => {
    const queue = texts.values()
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const rpc = await openRpcSocket(url)
        for (const text of queue) await exchange(rpc, text, tally)
        rpc.socket.close()
        await rpc.closed
      }),
    )
  })
})

/** Headers that contradict a JSON body, and the statuses that refuse them. */
const wrongHeaders = fc.record(
  {
    'content-type': fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/jsonp', ''),
    'content-encoding': fc.constantFrom('gzip', 'br', 'x'),
    'transfer-encoding': fc.constantFrom('chunked', 'gzip, chunked'),
    expect: fc.constantFrom('100-continue', 'nothing'),
    'x-api-key': fc.constantFrom('nobody'),
    origin: fc.constantFrom('https://evil.example', 'null'),
  },
  { requiredKeys: [] },
)

test('wrong headers, methods and paths are refused by a declared status, in the form of JSON-RPC', async () => {
  const requests = fc.tuple(
    wrongHeaders,
    fc.constantFrom('POST', 'POST', 'GET', 'PUT', 'QUERY'),
    fc.constantFrom('/', '/x'),
  )
  await target.attack('JSON-RPC requests that are wrong as HTTP', async (tally) => {
    await byPost(samplesOf(requests, 1_000), async (post, [headers, method, path]) => {
      const asked = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
      const { status, body } = await post(asked, { ...json, ...headers }, method, path)
      if (![200, 400, 401, 404, 405, 415, 417].includes(status)) tally.undeclared.push(`${status} ${body}`)
      // A refusal by the server's own parser, and of an unmet expectation, is a problem document.
      count(tally, [400, 417].includes(status) ? { error: body } : JSON.parse(body))
    })
  })
})

type Post = (
  body: Buffer,
  headers: Record<string, string>,
  method?: string,
  path?: string,
) => Promise<{ status: number; body: string; headers: IncomingHttpHeaders }>

/** Sends each with 8 concurrent workers over persistent connections. */
async function byPost<T>(each: readonly T[], send: (post: Post, one: T) => Promise<void>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const queue = each.values()
  const post: Post = async (body, headers, method = 'POST', path = '/') => {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Post>>>()
    const signal = AbortSignal.timeout(20_000)
    const sent = request(url + path, { method, agent, headers, signal }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode ?? 0, body: String(Buffer.concat(chunks)), headers: response.headers })
    })
    sent.on('error', reject)
    sent.end(body)
    return await promise
  }
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const one of queue) await send(post, one)
    }),
  )
  agent.destroy()
}

async function exchange(rpc: RpcSocket, text: Buffer, tally: Tally): Promise<void> {
  rpc.send(text)
  const answer = asksNothing(text) ? null : await nextAnswer(rpc)
  const fault = faultOf(text, answer)
  if (fault !== null) tally.undeclared.push(`${fault} to ${shown(text)}`)
  count(tally, answer)
  expect(await rpc.ask('eth_chainId')).toMatchObject({ result: '0x14a34' })
}

/** The next message that is not an event of a subscription, which some of the texts open. */
async function nextAnswer(rpc: RpcSocket): Promise<unknown> {
  for (;;) {
    const message = await rpc.next()
    if (message?.method !== 'eth_subscription') return message
  }
}

function count(tally: Tally, answer: unknown): void {
  tally.sent += 1
  const isRefusal = typeof answer === 'object' && answer !== null && 'error' in answer
  if (isRefusal) tally.refused += 1
  else tally.answered += 1
}

function shown(text: Buffer): string {
  return text.length > 300 ? `${text.subarray(0, 300)}...` : String(text)
}
