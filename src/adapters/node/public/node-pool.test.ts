import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import type { NodeCall } from '../call-tally.ts'
import { nodePool } from './node-pool.ts'

const never = new AbortController().signal
const servers = new DisposableStack()
afterAll(() => servers.dispose())

async function node(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('an endless response is cut off, and no other node is called or avoided because of it', async () => {
  let asked = 0
  const endless = await node((_, response) => {
    const chunk = Buffer.alloc(1_048_576, '1')
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', write)
    write()
  })
  const other = await node((_, response) => {
    asked += 1
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
  })
  const pool = nodePool([endless, other], { mostBytes: 2 * 1_048_576 }) // so few that it takes no time
  for (let round = 0; round < 2; round += 1)
    await expect(pool.request('debug_traceTransaction', [], never)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  expect(asked).toBe(0)
})

test("an answer that does not suit is another node's to better, and stands where none does", async () => {
  const answering = async (result: string) =>
    await node((_, response) => response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: JSON.parse(result) })))
  const refusing = await node((_, response) => response.end('{"id":1,"error":{"code":-32602,"message":"too old"}}'))
  const pool = nodePool([await answering('[]'), await answering('[1]'), await answering('[2]')])
  const longerThan = (length: number) => ({ suits: (answer: unknown) => (answer as unknown[]).length > length })
  expect(await pool.request('eth_getLogs', [], never)).toEqual([])
  expect(await pool.request('eth_getLogs', [], never, longerThan(0))).toEqual([1])
  expect(await pool.request('eth_getLogs', [], never, longerThan(1))).toEqual([])
  const odd = nodePool([await answering('[]'), refusing, await answering('[1]')])
  expect(await odd.request('eth_getLogs', [], never, longerThan(0))).toEqual([1])
  expect(await odd.request('eth_getLogs', [], never, longerThan(1))).toEqual([])
})

test('a block is replaced where most nodes have another one; nodes that lag or do not respond prove nothing', async () => {
  const having = async (hash: string | null) =>
    await node((_, response) =>
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: hash === null ? null : { hash } })),
    )
  const broken = await node((_, response) => void response.destroy())
  const [old, other, lagging] = [await having('0xa'), await having('0xb'), await having(null)]
  const block = { number: 5n, hash: '0xa' }
  const found = (...urls: string[]) => nodePool(urls).isReplaced(block)
  expect(await found(other)).toBe(true)
  expect(await found(old)).toBe(false)
  expect(await found(lagging)).toBe(null)
  expect(await found(broken)).toBe(null)
  expect(await found(other, old)).toBe(null)
  expect(await found(other, lagging, broken)).toBe(null)
  expect(await found(other, other, lagging)).toBe(true)
  expect(await found(old, old, other)).toBe(false)
  const mostlyDown = nodePool([broken, broken, other])
  for (let reads = 0; reads < 3; reads += 1) await mostlyDown.check() // so that two are known to be down
  for (let reads = 0; reads < 2; reads += 1) expect(await mostlyDown.isReplaced(block)).toBe(null)
})

test('every call of each node is reported by its name, also one that failed; methods of no contract are one', async () => {
  const failing = await node((_, response) => response.end('{"id":1,"error":{"code":-32603,"message":"internal"}}'))
  const serving = await node((_, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  const reported: NodeCall[] = []
  const pool = nodePool([`${failing}/key`, serving], { chainId: 7, report: (call) => reported.push(call) })
  expect(await pool.request('eth_gasPrice', [], never)).toBe('0x1')
  await pool.request('made_up', [], never)
  const shown = reported.map(({ upstream, chainId, method, ok }) => [upstream, chainId, method, ok])
  expect(shown.slice(0, 2)).toEqual([
    ['7/127.0.0.1/1', 7, 'eth_gasPrice', false],
    ['7/127.0.0.1/2', 7, 'eth_gasPrice', true],
  ])
  expect(shown.at(-1)).toEqual(['7/127.0.0.1/2', 7, 'other', true])
  expect(pool.states()[0]).toMatchObject({
    calls: expect.arrayContaining([{ method: 'eth_gasPrice', calls: 1, failed: 1 }]),
    failingMethods: expect.arrayContaining(['eth_gasPrice']),
    slowedByMs: 0,
  })
})

/** A node that responds with a result or an error; `calls` counts what it was called. */
async function responding(response: { result?: unknown; error?: { code: number; message: string } } | 'nothing') {
  let calls = 0
  const url = await node((_, outgoing) => {
    calls += 1
    if (response !== 'nothing') outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...response }))
  })
  return { url, calls: () => calls }
}

const refusing = (message: string) => responding({ error: { code: -32000, message } })

describe('where a refusal counts only if all nodes refuse', () => {
  const unanimous = { unanimous: true }
  const send = (...nodes: { url: string }[]) =>
    nodePool(
      nodes.map(({ url }) => url),
      { timeoutMs: 300 },
    ).request('eth_sendRawTransaction', ['0x02'], never, unanimous)

  test('the next node may take what the first one refuses', async () => {
    expect(await send(await refusing('nonce too low'), await responding({ result: '0x1' }))).toBe('0x1')
    await expect(send(await refusing('insufficient funds'), await refusing('nonce too low'))).rejects.toMatchObject({
      code: 'TRANSACTION_REJECTED',
      details: { metadata: { refusal: 'nonce_too_low' } },
    })
  })

  test('a node that fell silent may have taken it, whatever the others say', async () => {
    for (const nodes of [
      [await responding('nothing'), await refusing('nonce too low')],
      [await refusing('nonce too low'), await responding('nothing')],
    ])
      await expect(send(...nodes)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('a node that failed at it may have taken it too, wherever it stands among the others', async () => {
    const failing = await responding({ error: { code: -32603, message: 'internal error' } })
    const poor = await refusing('insufficient funds')
    for (const nodes of [[failing, poor] as const, [poor, failing] as const])
      await expect(send(...nodes)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('what a node that was down says of it counts for less than the silence of one that may have taken it', async () => {
    const sending = (request: IncomingMessage) => text(request).then((body) => body.includes('sendRaw'))
    const poor = '{"id":1,"error":{"code":-32000,"message":"insufficient funds"}}'
    const down = await node(async (request, response) => void ((await sending(request)) && response.end(poor)))
    const good = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
    const taking = await node(async (request, response) => void ((await sending(request)) || response.end(good)))
    const pool = nodePool([down, taking], { timeoutMs: 1_000 })
    expect(await pool.request('eth_gasPrice', [], never)).toBe('0x1')
    const sent = pool.request('eth_sendRawTransaction', ['0x02'], never, unanimous)
    await expect(sent).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('a transaction goes to all nodes at once, and one that has it already decides', async () => {
    const [slow, other] = [await responding('nothing'), await responding({ result: '0x1' })]
    expect(await send(slow, other)).toBe('0x1')
    await expect(send(await refusing('already known'), slow)).rejects.toThrow('already known')
    expect([slow.calls(), other.calls()]).toEqual([2, 1])
  })

  test('the nodes that are slower get the transaction too, also where the caller leaves once it has its answer', async () => {
    const taken: string[] = []
    const slow = await node((_, response) => {
      const timer = setTimeout(() => taken.push('slow'), 100)
      response.on('close', () => clearTimeout(timer))
    })
    const leaving = new AbortController()
    const pool = nodePool([slow, (await responding({ result: '0x1' })).url], { timeoutMs: 1_000 })
    expect(await pool.request('eth_sendRawTransaction', ['0x02'], leaving.signal, unanimous)).toBe('0x1')
    leaving.abort()
    await expect.poll(() => taken).toEqual(['slow'])
  })

  test('a revert decides at once', async () => {
    const other = await responding({ result: '0x1' })
    const pool = nodePool([(await refusing('execution reverted')).url, other.url])
    await expect(pool.request('eth_call', [], never, unanimous)).rejects.toThrow('execution reverted')
    expect(other.calls()).toBe(0)
  })

  test('a node that is known to hang is left out once another one has responded', async () => {
    const hanging = await responding('nothing')
    const other = await refusing('nonce too low')
    const pool = nodePool([hanging.url, other.url], { timeoutMs: 300 })
    const call = async () => await pool.request('eth_sendRawTransaction', ['0x02'], never, unanimous)
    await expect(call()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(call()).rejects.toMatchObject({ code: 'TRANSACTION_REJECTED' })
    expect(hanging.calls()).toBe(1)
    const none = await pool.request('eth_getTransactionByHash', [], never).catch((failure) => failure)
    expect(none).toMatchObject({ code: 'UNAVAILABLE' })
  })
})
