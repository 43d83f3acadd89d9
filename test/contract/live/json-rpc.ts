import { errorTable } from '../../../src/contract/shared/errors.ts'
import { type Check, must, shown } from './check.ts'
import { rpcMessages } from './options.ts'

type Reply = { id?: unknown; result?: unknown; error?: { code: number; message: string } }

const call = (method: string, params: unknown[] = []) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
const unknownBlock = `0x${'0'.repeat(63)}1`
const emptyAddress = `0x${'11'.repeat(20)}`

/** Messages to the node, each with the code of its refusal. */
const refusals: readonly { what: string; body: string; code: number }[] = [
  { what: 'text that is no JSON', body: '{', code: -32700 },
  { what: 'a number', body: '1', code: -32600 },
  { what: 'a batch of nothing', body: '[]', code: -32600 },
  { what: 'an object without a method', body: '{"jsonrpc":"2.0","id":7}', code: -32600 },
  { what: 'an unknown method', body: call('eth_noSuchMethod'), code: -32601 },
  { what: 'too few parameters', body: call('eth_getBalance'), code: -32602 },
  { what: 'a malformed parameter', body: call('eth_getBalance', ['0x1', 'latest']), code: -32602 },
  {
    what: 'an unknown block',
    body: call('eth_call', [{ to: emptyAddress }, unknownBlock]),
    code: errorTable.NOT_FOUND.jsonRpc,
  },
  { what: 'an operator without a token', body: call('admin_stopSequencer'), code: errorTable.UNAUTHENTICATED.jsonRpc },
]

/** The forms and codes of JSON-RPC 2.0, whatever the method. */
export function rpcChecks(url: string): Check[] {
  const common = { id: rpcMessages, door: 'rpcByPlace' as const, lane: 'rpc messages' }
  const codes = refusals.map(({ what, body, code }) => ({
    ...common,
    rule: `refuses: ${what}`,
    name: `refuses ${what}`,
    async judge() {
      const reply = (await post(url, body)) as Reply
      must(reply.error?.code === code, () => `The code is ${code}: ${shown(reply)}`)
      must(typeof reply.error?.message === 'string', () => `It has no message: ${shown(reply)}`)
    },
  }))
  const batch: Check = {
    ...common,
    rule: 'answers a batch',
    name: 'answers a batch, each request with its id',
    async judge() {
      const asked = ['eth_chainId', 'eth_noSuchMethod', 'eth_blockNumber']
      const body = JSON.stringify(asked.map((method, id) => ({ jsonrpc: '2.0', id, method, params: [] })))
      const replies = (await post(url, body)) as Reply[]
      must(Array.isArray(replies) && replies.length === asked.length, () => `The batch was answered ${shown(replies)}`)
      const codes = asked.map((_, id) => replies.find((reply) => reply.id === id)?.error?.code ?? null)
      must(String(codes) === String([null, -32601, null]), () => `The codes are ${shown(codes)}: ${shown(replies)}`)
    },
  }
  return [...codes, batch]
}

async function post(url: string, body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(60_000) })
  return await response.json()
}
