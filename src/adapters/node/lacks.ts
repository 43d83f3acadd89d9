import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256, stringToHex } from 'viem'
import { rpcBindings } from '../../contract/chain/chain.ts'
import { DomainError } from '../../domain/core/errors.ts'
import { isHash } from '../../kit/hex.ts'
import { failureIn, isSilence } from './errors/failures.ts'
import type { Request, Upstream } from './upstream.ts'

/** What the nodes of a chain may lack, and the gateway then does without. */
export type Lack =
  | 'access lists'
  | 'state overrides'
  | 'simulations'
  | 'block receipts'
  | 'safe'
  | 'finalized'
  | 'block by hash'

const words: Readonly<Record<Lack, string>> = {
  'access lists': 'no eth_createAccessList',
  'state overrides': 'no state overrides in eth_call',
  simulations: 'no eth_simulateV1',
  'block receipts': 'no eth_getBlockReceipts',
  safe: 'no block tag safe',
  finalized: 'no block tag finalized',
  'block by hash': 'no block named by its hash in eth_call',
}

/** One line in plain words on what the nodes of a chain lack; null where they lack nothing. */
export function lacksSaid(chainId: number, lacks: ReadonlySet<Lack>): string | null {
  const said = Object.entries(words).flatMap(([lack, text]) => (lacks.has(lack as Lack) ? [text] : []))
  if (said.length === 0) return null
  const effect = lacks.has('state overrides')
    ? 'trades are refused, as the check of a token needs state overrides: set CHAIN_RPC_URL to a node that has them, such as go-ethereum, reth, erigon or nethermind.'
    : 'the gateway does without them.'
  return `Chain ${chainId}: ${said.join(', ')}; ${effect}`
}

/** An account without code or money, as far as anybody knows. */
const nobody = `0x${keccak256(stringToHex('an account that nobody has')).slice(-40)}`
const zeros = '0'.repeat(64)
/** A value that no slot has by chance. */
const shown = `0x${'5eed'.padStart(64, '0')}`
/** Returns the first slot of its storage. */
const showsSlot = '0x60005460005260206000f3'

/** How long the questions may take; what is not known by then counts as there. */
const mostMs = 5_000
/** After how long a question that failed is asked again. */
const againMs = 250

/**
 * Finds out what the nodes of a chain lack, by eight calls, all but the first concurrent, and again what is refused. Never
 * throws: what a node that falls silent may lack counts as there.
 */
export async function findLacks(upstream: Pick<Upstream, 'direct'>): Promise<ReadonlySet<Lack>> {
  const ended = new AbortController()
  const call = async (method: string, ...params: unknown[]) =>
    await upstream.direct(method, params, ended.signal, { unanimous: true })
  try {
    return await Promise.race([lacksBy(call), sleep(mostMs, new Set<Lack>(), { signal: ended.signal })])
  } catch {
    return new Set()
  } finally {
    ended.abort()
  }
}

type Call = (method: string, ...params: unknown[]) => Promise<unknown>

async function lacksBy(call: Call): Promise<ReadonlySet<Lack>> {
  const { hash } = (await call('eth_getBlockByNumber', 'latest', false)) as { hash: string }
  const to = { to: nobody }
  const overrides = { [nobody]: { code: showsSlot, stateDiff: { [`0x${zeros}`]: shown } } }
  const asked: readonly [Lack, Promise<boolean>][] = [
    ['access lists', isUnserved(call('eth_createAccessList', to, 'latest'))],
    [
      'state overrides',
      isOtherThan(
        () => call('eth_call', to, 'latest', overrides),
        (data) => data === shown,
      ),
    ],
    ['simulations', isUnserved(call('eth_simulateV1', { blockStateCalls: [{ calls: [] }] }, 'latest'))],
    ['block receipts', isUnserved(call('eth_getBlockReceipts', 'latest'))],
    ['safe', isOtherThan(() => call('eth_getBlockByNumber', 'safe', false), isSome)],
    ['finalized', isOtherThan(() => call('eth_getBlockByNumber', 'finalized', false), isSome)],
    ['block by hash', isOtherThan(() => call('eth_call', to, { blockHash: hash, requireCanonical: true }), isSome)],
  ]
  const found = await Promise.all(asked.map(async ([lack, lacks]) => ((await lacks) ? [lack] : [])))
  return new Set(found.flat())
}

const isSome = (result: unknown) => result !== null && result !== undefined

/** Whether the method is not there. Another error shows that it is. */
async function isUnserved(answer: Promise<unknown>): Promise<boolean> {
  return await answer.then(
    () => false,
    (failure) => failureIn(failure)?.code === 'UNIMPLEMENTED',
  )
}

/**
 * Whether the answer is not what it has to be, or an error also where it is asked for again: a node may fail once. A block
 * that has just left the chain proves nothing.
 */
async function isOtherThan(ask: () => Promise<unknown>, suits: (result: unknown) => boolean): Promise<boolean> {
  const isOther = (result: unknown) => !suits(result)
  const isRefused = (failure: unknown) => !isSilence(failure) && failureIn(failure)?.code !== 'NOT_FOUND'
  return await ask().then(isOther, async (failure) => {
    if (!isRefused(failure)) return false
    await sleep(againMs)
    return await ask().then(isOther, isRefused)
  })
}

/** Most transactions of a block whose receipts are read one by one. */
const mostReceipts = 500
/** Receipts that are read at a time. */
const atATime = 20
/** Most blocks whose numbers are kept by their hashes. */
const mostBlocks = 1_000

/**
 * Wraps a function that calls nodes, so that it does without what they lack: a block that is named by its hash is named by
 * its number, and the receipts of a block are read one by one.
 */
export function without(lacks: ReadonlySet<Lack>, request: Request): Request {
  const numbers = new Map<string, string>()

  /** The number of a block. NOT_FOUND where the node has no block of this hash. */
  async function numberOf(hash: string, signal: AbortSignal): Promise<string> {
    const known = numbers.get(hash)
    if (known !== undefined) return known
    const block = (await request('eth_getBlockByHash', [hash, false], signal)) as { number: string } | null
    if (block === null) throw noBlock()
    if (numbers.size >= mostBlocks) numbers.clear()
    numbers.set(hash, block.number)
    return block.number
  }

  const byNumber: Request = async (method, params, signal, options) => {
    const position = byState.has(method) ? rpcBindings.get(method)?.block : undefined
    const hash = position === undefined ? null : hashOf(params[position])
    if (position === undefined || hash === null) return await request(method, params, signal, options)
    return await request(method, params.with(position, await numberOf(hash, signal)), signal, options)
  }
  const named = lacks.has('block by hash') ? byNumber : request
  if (!lacks.has('block receipts')) return named
  return async (method, params, signal, options) =>
    method === 'eth_getBlockReceipts'
      ? await receiptsOf(named, params[0], signal)
      : await named(method, params, signal, options)
}

/** Methods that read a state of a block, which some nodes name by number only. */
const byState: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_estimateGas',
  'eth_createAccessList',
  'eth_simulateV1',
  'eth_getBalance',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_getProof',
])

/** The hash by which a block is named, bare or in an object; null where it is named otherwise. */
function hashOf(block: unknown): string | null {
  if (isHash(block)) return block
  if (typeof block !== 'object' || block === null) return null
  const { blockHash } = block as { blockHash?: unknown }
  return isHash(blockHash) ? blockHash : null
}

async function receiptsOf(request: Request, block: unknown, signal: AbortSignal): Promise<unknown> {
  const hash = hashOf(block)
  const method = hash === null ? 'eth_getBlockByNumber' : 'eth_getBlockByHash'
  const found = (await request(method, [hash ?? block, false], signal)) as {
    hash: string
    transactions: string[]
  } | null
  if (found === null) return null
  const { transactions } = found
  if (transactions.length > mostReceipts) {
    const message = `The nodes of this chain lack eth_getBlockReceipts, and the block has ${transactions.length} transactions. Read their receipts by eth_getTransactionReceipt.`
    throw new DomainError('UNIMPLEMENTED', message)
  }
  const receipts: unknown[] = []
  for (let from = 0; from < transactions.length; from += atATime) {
    const part = transactions.slice(from, from + atATime)
    receipts.push(...(await Promise.all(part.map((one) => request('eth_getTransactionReceipt', [one], signal)))))
  }
  // A transaction may be in another block by now.
  const isOfBlock = (receipt: unknown) => (receipt as { blockHash?: string } | null)?.blockHash === found.hash
  if (receipts.every(isOfBlock)) return receipts
  throw noBlock()
}

function noBlock(): DomainError {
  return new DomainError('NOT_FOUND', 'header not found: there is no such block, or the node no longer has its state.')
}
