import { keccak256 } from 'viem'
import { rpcBindings } from '../../contract/chain/chain.ts'
import { DomainError, invalid } from '../../domain/core/errors.ts'
import type { Hex } from '../../domain/ports/chains.ts'
import { blockShownBy, type ChainNode, type NodeCaller, type NodeObject } from '../../domain/ports/node.ts'
import { isHash, isQuantity, quantityOf } from '../../kit/hex.ts'
import { timeLimit } from '../../kit/time-limit.ts'
import { neverAborts } from '../../kit/values.ts'
import { createFeed } from '../async/feed.ts'
import { cancelled, createCoalesce } from '../async/single-flight.ts'
import { createCache } from './cache.ts'
import { isMissingBlock } from './errors/failures.ts'
import { type Heads, trackHeads } from './heads.ts'
import { type Lack, without } from './lacks.ts'
import { inLogRanges, logWidth } from './log-ranges.ts'
import { sendRaw } from './send.ts'
import type { Upstream } from './upstream.ts'

/** `pollMs` is the interval of reading the newest block, in addition to the upstream's notifications. */
export type ChainNodeOptions = {
  upstream: Upstream
  chainId: number
  pollMs: number
  /** What its nodes lack, which is done without; nothing where absent. */
  lacks?: ReadonlySet<Lack>
}

/** The client of a chain's node: for callers of the JSON-RPC interface, and `direct` for trades. */
export type NodeClient = ChainNode &
  Pick<Upstream, 'direct' | 'states'> &
  Pick<Heads, 'followed' | 'onReorganised'> & {
    recentHead: Heads['recent']
    lacks: ReadonlySet<Lack>
    /** Whether the chain has another block at this number, by most of its nodes; null where they do not tell. */
    isReplaced(block: { number: bigint; hash: Hex }): Promise<boolean | null>
  }

/**
 * Opens the client over an upstream. It serves calls of the JSON-RPC interface from stored blocks where possible,
 * caches results that cannot change, and sends equal concurrent calls once. Throws FAILED_PRECONDITION where the
 * upstream is of another chain.
 */
export async function openChainNode(options: ChainNodeOptions): Promise<NodeClient & AsyncDisposable> {
  const { chainId, pollMs, lacks = new Set() } = options
  const upstream = adapted(options.upstream, lacks)
  await checkChain(upstream, chainId)
  await using opened = new AsyncDisposableStack()
  const heads = opened.use(await trackHeads(upstream, pollMs))
  const pending = opened.use(keepPending(upstream))
  const cache = createCache(upstream.finalized)
  const coalesce = createCoalesce()
  let sent = 0

  /** The result where it needs no upstream call, else undefined. */
  async function known(method: string, [first, second]: readonly unknown[]): Promise<unknown> {
    if (method === 'eth_blockNumber') return (await heads.newest()).header.number
    if (method === 'eth_chainId') return quantityOf(chainId)
    if (method === 'net_version') return String(chainId)
    if (method === 'web3_sha3') return keccak256(first as Hex)
    if (method === 'eth_getBlockByNumber' && first === 'latest' && second !== true) return (await heads.newest()).wire
    return undefined
  }

  async function send(params: readonly unknown[], signal: AbortSignal): Promise<Hex> {
    const hash = await sendRaw((...call) => upstream.request(...call, signal), params[0] as Hex)
    sent += 1
    pending.note(hash)
    return hash
  }

  /**
   * Reads the newest state at the block that was answered before, where another node may not have it yet. Once no node has
   * that block, it has left the chain, and each node's own newest one counts.
   */
  async function readAt(method: string, params: readonly unknown[], signal: AbortSignal, caller?: NodeCaller) {
    const block = blockOf(method, params)
    const exists = block === null || (isHash(block) ? heads.has(block) : !isQuantity(block) || heads.has(BigInt(block)))
    const options = { caller, exists }
    if (upstream.isGone === undefined || block !== 'latest' || rpcBindings.get(method)?.block === 0)
      return await upstream.request(method, params, signal, options)
    const { hash } = await heads.recent()
    return await upstream.request(method, withBlock(method, params, hash), signal, options).catch((failure) => {
      if (!isMissingBlock(failure)) throw failure
      return upstream.request(method, params, signal, options)
    })
  }

  async function read(method: string, params: readonly unknown[], signal: AbortSignal, caller?: NodeCaller) {
    const key = JSON.stringify([method, params])
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    // A call in flight is shared only while the chain has not changed since it was sent.
    return await coalesce(`${heads.hash()} ${sent} ${key}`, signal, async (shared) => {
      const result = await readAt(method, params, shared, caller)
      cache.keep(key, method, params, result)
      if (method !== 'eth_simulateV1') await heads.catchUp(blockShownBy([result].flat().at(-1)) ?? -1n)
      return result
    })
  }

  const request: ChainNode['request'] = async (method, params, signal, caller) => {
    if (method === 'eth_sendRawTransaction') return await send(params, signal)
    checkCallChain(params, chainId)
    return (await known(method, params)) ?? (await read(method, params, signal, caller))
  }

  const resources = opened.move()
  return {
    request,
    direct: upstream.direct,
    states: upstream.states,
    lacks,
    inclusion: (...wait) => inclusionOf({ request, changes: heads.changes }, ...wait),
    head: heads.newest,
    recentHead: heads.recent,
    followed: heads.followed,
    onReorganised: heads.onReorganised,
    isReplaced: upstream.isReplaced ?? ((block) => isReplaced(upstream, block)),
    changes: heads.changes,
    pending: pending.from,
    pendingBetween: pending.between,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function isReplaced({ direct }: Upstream, { number, hash }: { number: bigint; hash: Hex }) {
  const present = await direct('eth_getBlockByNumber', [quantityOf(number), false], neverAborts)
  return present === null ? null : (present as NodeObject).hash !== hash
}

/**
 * The upstream without what its nodes lack, and with ranges of logs in the parts that they give, which is learnt once for
 * all callers.
 */
function adapted(upstream: Upstream, lacks: ReadonlySet<Lack>): Upstream {
  const width = logWidth()
  return {
    ...upstream,
    request: inLogRanges(without(lacks, upstream.request), width),
    direct: inLogRanges(without(lacks, upstream.direct), width),
  }
}

/** The block that a call names, `latest` where it leaves it out; null for a method that is about no block. */
function blockOf(method: string, params: readonly unknown[]): string | null {
  const position = rpcBindings.get(method)?.block
  return position === undefined ? null : String(params[position] ?? 'latest')
}

function withBlock(method: string, params: readonly unknown[], block: Hex): readonly unknown[] {
  const position = rpcBindings.get(method)?.block ?? 0
  return Array.from({ length: Math.max(params.length, position + 1) }, (_, index) =>
    index === position ? block : params[index],
  )
}

async function checkChain(upstream: Upstream, chainId: number): Promise<void> {
  const found = Number(await upstream.request('eth_chainId', [], neverAborts))
  if (found === chainId) return
  throw new DomainError(
    'FAILED_PRECONDITION',
    `The node serves chain ${found}. Set CHAIN_ID to it, or use another node.`,
  )
}

type Call = { chainId?: unknown }
type Requested = Call & { blockStateCalls?: readonly { calls?: readonly Call[] }[] }

/** Throws INVALID_ARGUMENT where a simulated call names another chain's id. */
function checkCallChain([requested]: readonly unknown[], chainId: number): void {
  if (typeof requested !== 'object' || requested === null) return
  const { blockStateCalls = [], ...call } = requested as Requested
  checkOne(call, 'transaction', chainId)
  for (const [block, { calls = [] }] of blockStateCalls.entries())
    for (const [index, one] of calls.entries())
      checkOne(one, `simulation.blockStateCalls.${block}.calls.${index}`, chainId)
}

function checkOne({ chainId: given }: Call, path: string, chainId: number): void {
  if (typeof given !== 'string' || BigInt(given) === BigInt(chainId)) return
  throw invalid(`${path}.chainId`, `is ${BigInt(given)}, but this chain has the id ${chainId}`)
}

/**
 * Reads the receipt of a transaction at once and after each change of the chain, until it exists or the time is over.
 */
async function inclusionOf(
  { request, changes }: Pick<ChainNode, 'request' | 'changes'>,
  hash: Hex,
  waitMs: number,
  signal: AbortSignal,
): Promise<NodeObject | null> {
  const look = async () => (await request('eth_getTransactionReceipt', [hash], signal)) as NodeObject | null
  const found = new AbortController()
  try {
    // Subscribes first, so that no change is missed between the first read and the next.
    const moved = changes(AbortSignal.any([signal, timeLimit(waitMs), found.signal]))
    let receipt = await look()
    while (receipt === null && (await moved.next()).done !== true) receipt = await look()
    if (receipt === null && signal.aborted) throw cancelled()
    return receipt
  } finally {
    found.abort()
  }
}

/** The hashes of new pending transactions, and the last 10,000 of them. */
type Pending = Disposable & {
  /** Adds a hash from another source; a known one is not reported again. */
  note(hash: Hex): void
  from(signal: AbortSignal): AsyncGenerator<Hex, void, undefined>
  /** The hashes first seen in a time range; its end is excluded. */
  between(from: Date, until: Date): readonly Hex[]
}

const remembered = 10_000
const mostWaiting = 10_000

/** Stores the hashes that the upstream reports, and sends each to every reader once. */
export function keepPending(upstream: Pick<Upstream, 'onPending'>): Pending {
  /** The time when each was first seen, oldest first. */
  const seen = new Map<Hex, number>()
  const feed = createFeed<Hex>(mostWaiting)
  const note = (hash: Hex) => {
    if (seen.has(hash)) return
    seen.set(hash, Date.now())
    for (const oldest of seen.keys()) {
      if (seen.size <= remembered) break
      seen.delete(oldest)
    }
    feed.publish(hash)
  }
  const stop = upstream.onPending(note)
  return {
    note,
    from: feed.read,
    between: (from, until) =>
      [...seen].flatMap(([hash, at]) => (at >= from.getTime() && at < until.getTime() ? [hash] : [])),
    [Symbol.dispose]() {
      stop()
      feed.end()
    },
  }
}
