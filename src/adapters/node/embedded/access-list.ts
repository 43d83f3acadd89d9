import { type Address, getContractAddress, hexToBigInt } from 'viem'
import { DomainError } from '../../../domain/core/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { wireQuantity } from '../wire-objects.ts'
import type { Call, Workaround } from './workaround.ts'

type Entry = { address: string; storageKeys: string[] }
/** The slots that a run has loaded, by account. */
type Loaded = Map<string, Set<string>>
type Prestate = Record<string, { storage?: Record<string, string> }>

/** A run with its own list may load other slots; as in other nodes it is repeated until the list stays. */
const mostRuns = 5

/**
 * Anvil only lists what a call that succeeds has loaded. Of one that fails the list is read from a trace, and the result
 * has it with the gas and the error.
 */
export const accessList: Workaround = async (call, params, method) => {
  try {
    return await call(method, params)
  } catch (thrown) {
    const error = failureOf(thrown)
    const traced = error === null ? null : await tracedList(call, params)
    if (traced === null) throw thrown
    return { ...traced, error }
  }
}

/** Why the call failed while it ran; null where it was refused before. */
function failureOf(thrown: unknown): string | null {
  if (!(thrown instanceof DomainError)) return null
  if (thrown.code === 'EXECUTION_REVERTED') return 'execution reverted'
  const isRefused = /^(insufficient funds|intrinsic gas)/.test(thrown.message)
  return thrown.code === 'FAILED_PRECONDITION' && !isRefused ? thrown.message : null
}

/** Counts the gas inside the engine, without a look at each step. */
const meter = `{ fault: function () {},
  result: function (run) { return { gasUsed: run.gasUsed, failed: run.error !== undefined } } }`

async function tracedList(call: Call, [given, block = 'latest']: readonly unknown[]) {
  const transaction = given as NodeObject
  const warm = await warmAccounts(call, transaction, block)
  const loaded = loadedBy((transaction.accessList ?? []) as Entry[])
  for (let runs = 0; runs < mostRuns; runs += 1) {
    const before = sizeOf(loaded)
    const prestate = await traceOf<Prestate>(call, [transaction, block], loaded, 'prestateTracer')
    for (const [address, { storage = {} }] of Object.entries(prestate)) {
      const keys = Object.keys(storage)
      if (keys.length > 0 || !warm(address)) add(loaded, address, keys)
    }
    if (sizeOf(loaded) === before) break
  }
  const ran = await traceOf<{ gasUsed: number; failed: boolean }>(call, [transaction, block], loaded, meter)
  return ran.failed ? { accessList: listOf(loaded), gasUsed: wireQuantity(ran.gasUsed) } : null
}

async function traceOf<T>(call: Call, [transaction, block]: [NodeObject, unknown], loaded: Loaded, tracer: string) {
  const withList = { ...transaction, accessList: listOf(loaded) }
  return (await call('debug_traceCall', [withList, block, { tracer }])) as T
}

/** The fee vaults of the rollup and the block's author, which the engine loads after each run, whatever the call does. */
const loadedAfter = /^0x(0{40}|420{36}(19|1a|1b))$/
/** Precompiled contracts, by the number that their address is. */
const isPrecompile = (number: bigint) => (number > 0n && number <= 0x11n) || number === 0x100n

/** Whether an account is loaded before the call runs, or only after it, so that it needs no entry but for its slots. */
async function warmAccounts(call: Call, { from, to, nonce }: NodeObject, block: unknown) {
  const sender = lower(from) ?? `0x${'0'.repeat(40)}`
  const used = async () => String(nonce ?? (await call('eth_getTransactionCount', [sender, block])))
  const called = lower(to) ?? getContractAddress({ from: sender as Address, nonce: BigInt(await used()) }).toLowerCase()
  return (address: string) =>
    address === sender ||
    address === called ||
    loadedAfter.test(address) ||
    isPrecompile(hexToBigInt(address as Address))
}

function lower(address: unknown): string | undefined {
  return typeof address === 'string' ? address.toLowerCase() : undefined
}

function loadedBy(list: readonly Entry[]): Loaded {
  const loaded: Loaded = new Map()
  for (const { address, storageKeys } of list) add(loaded, address, storageKeys)
  return loaded
}

function add(loaded: Loaded, address: string, keys: readonly string[]): void {
  const known = loaded.get(address.toLowerCase()) ?? new Set()
  for (const key of keys) known.add(`0x${key.slice(2).toLowerCase().padStart(64, '0')}`)
  loaded.set(address.toLowerCase(), known)
}

function sizeOf(loaded: Loaded): number {
  return [...loaded.values()].reduce((count, { size }) => count + 1 + size, 0)
}

function listOf(loaded: Loaded): Entry[] {
  return [...loaded].map(([address, keys]) => ({ address, storageKeys: [...keys] }))
}
