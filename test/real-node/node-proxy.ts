import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { seeded } from '../seeded.ts'
import { type Ask, type Call, headNotFound, type Reply, type RpcError, shortened, spanOf } from './old-heads.ts'

/** What goes wrong, with what it happens to. */
export type Fault = {
  /** The methods that it happens to; all where absent. */
  methods?: readonly string[]
  /** The share of their calls that it happens to, drawn by the seed; 1 where absent. */
  share?: number
  /** How many calls it still happens to; all where absent. The proxy counts it down. */
  times?: number
} & (
  | { does: 'delay'; ms: number }
  /** The request is never answered, nor does the node see it. */
  | { does: 'hang' }
  | { does: 'cut' }
  /** Answered with this status and no JSON: 429, 502, 503. */
  | { does: 'status'; status: number; retryAfterSeconds?: number }
  /** The node's answer ends in its middle, though its length was said. */
  | { does: 'half' }
  | { does: 'wrong-id' }
  /** The chain seems to be this much shorter; what is in later blocks does not exist. */
  | { does: 'old-heads'; blocks: number }
  /** Calls that name a block are answered 'header not found'. */
  | { does: 'no-header' }
  /** Logs of a wider range are refused with this text, as providers do. */
  | { does: 'narrow-logs'; blocks: number; code?: number; message?: string }
  | { does: 'lacks' }
  /** Calls with state overrides are refused, or run without them. */
  | { does: 'no-overrides'; how: 'refuses' | 'ignores' }
  /** Blocks that an object names by their hash are refused, as by nodes before EIP-1898. */
  | { does: 'no-block-hashes' }
  | { does: 'no-batch' }
)

/** A proxy in front of a node that counts its calls, and does what is listed in `faults`, the first that applies first. */
export type NodeProxy = AsyncDisposable & {
  url: string
  faults: Fault[]
  /** The requests, and their calls by method, since `forget`. */
  requests: number
  calls: Record<string, number>
  forget(): void
}

/** Faults of a whole request, which one of its calls causes. */
type OfRequest = Extract<Fault, { does: 'delay' | 'hang' | 'cut' | 'status' | 'half' | 'no-batch' }>
const ofRequest: readonly Fault['does'][] = ['delay', 'hang', 'cut', 'status', 'half', 'no-batch']
const isOfRequest = (fault: Fault): fault is OfRequest => ofRequest.includes(fault.does)

/** Starts it on a free port. It passes JSON-RPC over HTTP, single calls and batches, and no WebSocket. */
export async function openNodeProxy(target: string, { faults = [] as Fault[], seed = 1 } = {}): Promise<NodeProxy> {
  const random = seeded(seed)
  const state = { faults, requests: 0, calls: {} as Record<string, number> }
  const ended = new AbortController()

  /** Whether it happens to the call. */
  function happens(fault: Fault, { method }: Call): boolean {
    if (fault.methods !== undefined && !fault.methods.includes(method)) return false
    if (fault.times === 0 || (fault.share !== undefined && random() >= fault.share)) return false
    if (fault.times !== undefined) fault.times -= 1
    return true
  }

  const ask: Ask = async (body) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(target, { method: 'POST', headers, body: JSON.stringify(body), signal: ended.signal })
    return await response.json()
  }

  async function answer(call: Call): Promise<Reply> {
    let { id } = call
    for (const fault of state.faults) {
      if (isOfRequest(fault) || !happens(fault, call)) continue
      if (fault.does === 'wrong-id') id = typeof id === 'number' ? id + 1_000_000 : `not-${id}`
      else if (fault.does === 'no-overrides' && fault.how === 'ignores')
        return { ...((await ask(withoutOverrides(call))) as Reply), id }
      else if (fault.does === 'old-heads') return { ...(await shortened(ask, call, fault.blocks)), id }
      else {
        const error = await refusalOf(fault, call, ask)
        if (error !== null) return { jsonrpc: '2.0', id, error }
      }
    }
    return { ...((await ask(call)) as Reply), id }
  }

  /** Does what happens to the whole request, and says whether that ended it. */
  async function endsBy(fault: OfRequest, body: Call | Call[], response: ServerResponse): Promise<boolean> {
    if (fault.does === 'no-batch' && !Array.isArray(body)) return false
    if (![body].flat().some((call) => happens(fault, call))) return false
    if (fault.does === 'delay') {
      await sleep(fault.ms, undefined, { signal: ended.signal })
      return false
    }
    if (fault.does === 'cut') response.destroy()
    if (fault.does === 'status') {
      const after = fault.retryAfterSeconds
      response.writeHead(fault.status, after === undefined ? {} : { 'retry-after': String(after) }).end('not now')
    }
    if (fault.does === 'no-batch')
      writeJson(response, { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'batches are not supported' } })
    if (fault.does === 'half') {
      const text = JSON.stringify(await answered(body))
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
      response.write(text.slice(0, text.length / 2), () => response.destroy())
    }
    return true
  }

  const answered = async (body: Call | Call[]) =>
    Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[]
    state.requests += 1
    for (const { method } of [body].flat()) state.calls[method] = (state.calls[method] ?? 0) + 1
    for (const fault of state.faults) if (isOfRequest(fault) && (await endsBy(fault, body, response))) return
    writeJson(response, await answered(body))
  }

  // Where the node does not answer, neither does this.
  const server = createServer((request, response) => serve(request, response).catch(() => response.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forget: () => void Object.assign(state, { requests: 0, calls: {} }),
    async [Symbol.asyncDispose]() {
      ended.abort()
      server.closeAllConnections()
      server.close()
    },
  })
}

function writeJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** The place of the overrides among the parameters. */
const overridesAt = 2

const hasOverrides = ({ method, params }: Call) =>
  (method === 'eth_call' || method === 'eth_estimateGas') && params?.[overridesAt] !== undefined

function withoutOverrides(call: Call): Call {
  return hasOverrides(call) ? { ...call, params: (call.params ?? []).slice(0, overridesAt) } : call
}

type Refusing = Extract<Fault, { does: 'no-header' | 'narrow-logs' | 'lacks' | 'no-overrides' | 'no-block-hashes' }>

/** The error that the call gets, null where it is no such call. */
async function refusalOf(fault: Refusing, call: Call, ask: Ask): Promise<RpcError | null> {
  if (fault.does === 'lacks')
    return { code: -32_601, message: `the method ${call.method} does not exist/is not available` }
  if (fault.does === 'no-overrides')
    return hasOverrides(call) ? { code: -32_602, message: 'too many arguments, want at most 2' } : null
  if (fault.does === 'no-block-hashes') {
    const isNamed = JSON.stringify(call.params ?? []).includes('"blockHash"') && call.method !== 'eth_getLogs'
    const message = 'invalid argument 1: json: cannot unmarshal object into Go value of type rpc.BlockNumber'
    return isNamed ? { code: -32_602, message } : null
  }
  if (fault.does === 'no-header') return headNotFound(call)
  const { blocks, code = -32_600 } = fault
  if (call.method !== 'eth_getLogs' || (await spanOf(ask, call)) <= blocks) return null
  return { code, message: fault.message ?? `You can make eth_getLogs requests with up to a ${blocks} block range.` }
}
