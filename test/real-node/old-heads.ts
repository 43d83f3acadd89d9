/** A JSON-RPC call and its answer, as they are sent. */
export type Call = { jsonrpc: '2.0'; id: number | string; method: string; params?: unknown[] }
export type Reply = { jsonrpc: '2.0'; id: number | string; result?: unknown; error?: RpcError }
export type RpcError = { code: number; message: string }
/** Asks the node. Throws where it does not answer. */
export type Ask = (body: Call) => Promise<unknown>

/** Where each method names its block, by the index of the parameter. */
const placeOfBlock: Readonly<Record<string, number>> = {
  debug_traceBlockByNumber: 0,
  debug_traceCall: 1,
  eth_call: 1,
  eth_createAccessList: 1,
  eth_estimateGas: 1,
  eth_feeHistory: 1,
  eth_getBalance: 1,
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getCode: 1,
  eth_getProof: 2,
  eth_getStorageAt: 2,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getTransactionCount: 1,
  eth_simulateV1: 1,
}

/** Methods that answer null, and not an error, for a block that does not exist. */
const isLookUp = /^eth_getBlock|^eth_getTransactionBy/

const unknownHeader = { code: -32_000, message: 'header not found' } as const

/** The error of a node that lacks the block of the call; null for a call that names none. */
export function headNotFound({ method }: Call): RpcError | null {
  return method in placeOfBlock ? unknownHeader : null
}

/** How many blocks the logs are asked of; 1 for those of one block by its hash. */
export async function spanOf(ask: Ask, { params }: Call): Promise<number> {
  const { fromBlock = 'latest', toBlock = 'latest', blockHash } = (params?.[0] ?? {}) as Record<string, string>
  if (blockHash !== undefined) return 1
  const [from, to] = [await numberOf(ask, fromBlock), await numberOf(ask, toBlock)]
  return to - from + 1
}

/** The answer of a node whose chain is so many blocks shorter. */
export async function shortened(ask: Ask, call: Call, blocks: number): Promise<Reply> {
  const head = Math.max(0, (await numberOf(ask, 'latest')) - blocks)
  const { method, params = [] } = call
  const about = { jsonrpc: '2.0', id: call.id } as const
  if (method === 'eth_blockNumber') return { ...about, result: hex(head) }
  if (method === 'eth_getLogs') return await olderLogs(ask, call, head)
  const place = placeOfBlock[method]
  if (place === undefined) return withoutNewer((await ask(call)) as Reply, method, head)
  const block = params[place] ?? 'latest'
  const at = await numberAt(ask, block)
  const isTag = typeof block === 'string' && !block.startsWith('0x')
  if (at !== null && at > head && !isTag)
    return isLookUp.test(method) ? { ...about, result: null } : { ...about, error: unknownHeader }
  const shown = isTag ? hex(Math.min(at ?? head, head)) : block
  const sent = [...params]
  sent[place] = shown
  return (await ask({ ...call, params: sent })) as Reply
}

async function olderLogs(ask: Ask, call: Call, head: number): Promise<Reply> {
  const about = { jsonrpc: '2.0', id: call.id } as const
  const [filter = {}] = (call.params ?? []) as Record<string, string>[]
  const { fromBlock = 'latest', toBlock = 'latest', blockHash } = filter
  if (blockHash !== undefined) {
    const at = await numberAt(ask, { blockHash })
    return at !== null && at > head ? { ...about, error: unknownHeader } : ((await ask(call)) as Reply)
  }
  const isTag = (block: string) => !block.startsWith('0x')
  const from = await numberOf(ask, fromBlock)
  if (from > head && !isTag(fromBlock)) return { ...about, result: [] }
  const range = { fromBlock: hex(Math.min(from, head)), toBlock: hex(Math.min(await numberOf(ask, toBlock), head)) }
  return (await ask({ ...call, params: [{ ...filter, ...range }] })) as Reply
}

/** A later block is not there, nor is a receipt in one; a transaction in one still waits. */
function withoutNewer(reply: Reply, method: string, head: number): Reply {
  const found = reply.result as { number?: string; blockNumber?: string } | null | undefined
  const at = method === 'eth_getBlockByHash' ? found?.number : found?.blockNumber
  if (at === undefined || at === null || Number(at) <= head) return reply
  if (method === 'eth_getTransactionByHash')
    return { ...reply, result: { ...found, blockHash: null, blockNumber: null, transactionIndex: null } }
  return { ...reply, result: null }
}

/** The number of the block that a parameter names; null for one that the node does not know. */
async function numberAt(ask: Ask, block: unknown): Promise<number | null> {
  const { blockHash, blockNumber } = (typeof block === 'object' ? block : {}) as Record<string, string>
  const named = blockNumber ?? block
  if (typeof named === 'string' && named.startsWith('0x') && named.length < 66) return Number(named)
  const hash = blockHash ?? (typeof named === 'string' && named.startsWith('0x') ? named : undefined)
  const [method, of] = hash === undefined ? ['eth_getBlockByNumber', named] : ['eth_getBlockByHash', hash]
  const reply = (await ask({ jsonrpc: '2.0', id: 1, method, params: [of, false] })) as Reply
  const found = reply.result as { number: string | null } | null
  return found?.number === null || found?.number === undefined ? null : Number(found.number)
}

async function numberOf(ask: Ask, block: string): Promise<number> {
  const at = await numberAt(ask, block === 'pending' ? 'latest' : block)
  if (at === null) throw new Error(`The node has no block ${block}.`)
  return at
}

const hex = (value: number) => `0x${value.toString(16)}`
