import { LRUCache } from 'lru-cache'
import { type Address, concat, type Hex, keccak256, numberToHex, pad, type StateOverride, stringToHex } from 'viem'
import { failureIn, isSilence } from '../../node/errors/failures.ts'
import type { Connection } from '../reads/connection.ts'
import { tokenViews } from '../reads/views.ts'

type Slot = { address: Address; slot: Hex }

export type SlotFinder = {
  /**
   * The state override that gives the owner the token and, where a spender is named, the approval; null where it cannot
   * be found.
   */
  fund(token: Address, owner: Address, amount: bigint, spender: Address | null): Promise<StateOverride | null>
}

const mostRemembered = 2_000
/** How long a slot, and the place of a table, is believed: a proxy may get code that has it elsewhere. */
const believedMs = 600_000
/** Most slots that are tried for one getter. */
const mostTried = 24
/** A value that no storage slot contains by chance; each slot that is tried is set to one of its own. */
const marker = 0x5eed_0000_0000_0001_7a1en

/** Slots by which a proxy finds its code: changed with the others, its getter would fail. */
const ofProxies: ReadonlySet<string> = new Set([
  ...['eip1967.proxy.implementation', 'eip1967.proxy.beacon', 'eip1967.proxy.admin'].map((name) =>
    numberToHex(BigInt(keccak256(stringToHex(name))) - 1n, { size: 32 }),
  ),
  ...['org.zeppelinos.proxy.implementation', 'PROXIABLE'].map((name) => keccak256(stringToHex(name))),
])

/**
 * Finds the storage slot of a balance or an allowance: each slot that the getter reads, or that such a getter usually
 * reads, is set to a value of its own, and the result shows which it was. It works for any layout and through proxies
 * where the node says what the getter reads.
 */
export function createSlotFinder({ client, call, deployment, lacks }: Connection): SlotFinder {
  // Some nodes let the caller of an access list pay for its gas, and there the zero address owns nothing. The wrapped
  // token's contract holds what is wrapped in it.
  const account = deployment.wrapped_native
  const remembered = new LRUCache<string, { slot: Slot | null }>({ max: mostRemembered, ttl: believedMs })
  /** Where the table of a getter is, by the token and the getter: the same for every account. */
  const tables = new LRUCache<string, { address: Address; place: number }>({ max: mostRemembered, ttl: believedMs })
  let traces = true

  async function locate(token: Address, data: Hex, usual: readonly Hex[]): Promise<Slot | null> {
    const key = `${token}:${data}`.toLowerCase()
    const before = remembered.get(key)
    if (before !== undefined) return before.slot
    const getter = key.slice(0, token.length + 1 + '0x12345678'.length)
    const table = tables.get(getter)
    const slot = table === undefined ? undefined : usual[table.place]
    if (table !== undefined && slot !== undefined) return { address: table.address, slot }
    const found = await firstThatShows(token, data, await candidatesOf(token, data, usual))
    remembered.set(key, { slot: found })
    const place = found === null ? -1 : usual.indexOf(found.slot)
    if (found !== null && place >= 0) tables.set(getter, { address: found.address, place })
    return found
  }

  /** The slots that the getter reads, by what the node can say; the usual ones where it cannot. */
  async function candidatesOf(token: Address, data: Hex, usual: readonly Hex[]): Promise<readonly Slot[]> {
    const listed = lacks.has('access lists')
      ? null
      : await client.createAccessList({ account, to: token, data }).catch(nullUnlessSilent)
    const touched =
      listed?.accessList.flatMap(({ address, storageKeys }) => storageKeys.map((slot) => ({ address, slot }))) ??
      (await tracedSlots(token, data)) ??
      usual.map((slot) => ({ address: token, slot }))
    return touched.slice(0, Math.max(mostTried, usual.length))
  }

  /** The slots that a trace of the state shows; null where the node has no such trace. */
  async function tracedSlots(token: Address, data: Hex): Promise<Slot[] | null> {
    if (!traces) return null
    const options = { tracer: 'prestateTracer' }
    const state = await call('debug_traceCall', [{ from: account, to: token, data }, 'latest', options]).catch(
      (error: unknown) => {
        if (failureIn(error)?.code === 'UNIMPLEMENTED') traces = false
        return nullUnlessSilent(error)
      },
    )
    if (typeof state !== 'object' || state === null) return null
    const found = Object.entries(state as Record<Address, { storage?: Record<Hex, Hex> }>).flatMap(
      ([address, { storage = {} }]) =>
        Object.keys(storage).map((slot): Slot => ({ address: address as Address, slot: slot as Hex })),
    )
    return found.length === 0 ? null : found
  }

  /** All at once; where that shows none, as where one of them breaks the getter, each in a call of its own. */
  async function firstThatShows(token: Address, data: Hex, candidates: readonly Slot[]): Promise<Slot | null> {
    const plain = candidates.filter(({ slot }) => !ofProxies.has(slot))
    const shown = await valueWith(token, data, plain)
    const found = shown === null ? undefined : plain[Number(shown - marker)]
    // The usual slots are entries of tables, of which none breaks a getter.
    if (found !== undefined || plain.length < 2 || plain.length > mostTried) return found ?? null
    const values = await Promise.all(plain.map((one) => valueWith(token, data, [one])))
    return plain.find((_, index) => values[index] === marker) ?? null
  }

  /** What the getter returns while each slot has a marker of its own; null where that is none of them. */
  async function valueWith(token: Address, data: Hex, slots: readonly Slot[]): Promise<bigint | null> {
    if (slots.length === 0) return null
    const stateOverride = merged(slots.map((slot, index) => overrideOf(slot, marker + BigInt(index))))
    const answer = await client.call({ account, to: token, data, stateOverride }).catch(nullUnlessSilent)
    if (answer?.data === undefined || answer.data.length < 66) return null
    const value = BigInt(answer.data.slice(0, 66))
    return value >= marker && value < marker + BigInt(slots.length) ? value : null
  }

  return {
    async fund(token, owner, amount, spender) {
      if (lacks.has('state overrides')) return null
      const slots = await Promise.all([
        locate(token, tokenViews.balanceOf(token, owner).callData, usualSlots([owner])),
        ...(spender === null
          ? []
          : [locate(token, tokenViews.allowance(token, owner, spender).callData, usualSlots([owner, spender]))]),
      ])
      const found = slots.filter((slot) => slot !== null)
      return found.length === slots.length ? merged(found.map((slot) => overrideOf(slot, amount))) : null
    },
  }
}

/** The slots of a contract one of which usually has the table of balances or of allowances. */
const usualTables = [...Array.from({ length: 21 }, (_, index) => BigInt(index)), 51n, 52n]
/** Where contracts of OpenZeppelin that can be upgraded have their balances, by ERC-7201; allowances are next to them. */
const namespaced = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n

/** Where tables usually have the entry of an owner, and of a spender below it, as Solidity and as Vyper store them. */
function usualSlots(keys: readonly Address[]): Hex[] {
  const tables = [...usualTables, namespaced, namespaced + 1n].map((table) => numberToHex(table, { size: 32 }))
  const inSolidity = (table: Hex) => keys.reduce<Hex>((slot, key) => keccak256(concat([pad(key), slot])), table)
  const inVyper = (table: Hex) => keys.reduce<Hex>((slot, key) => keccak256(concat([slot, pad(key)])), table)
  return tables.flatMap((table) => [inSolidity(table), inVyper(table)])
}

/**
 * Handles the error of a node without the method, or of a contract that fails. A node that does not respond proves
 * nothing, so that error is thrown.
 */
function nullUnlessSilent(error: unknown): null {
  if (isSilence(error)) throw error
  return null
}

function overrideOf({ address, slot }: Slot, value: bigint): StateOverride[number] {
  return { address, stateDiff: [{ slot, value: numberToHex(value, { size: 32 }) }] }
}

/** Overrides of one account must be merged. */
function merged(overrides: readonly StateOverride[number][]): StateOverride {
  const byAddress = new Map<string, StateOverride[number]>()
  for (const override of overrides) {
    const other = byAddress.get(override.address)
    byAddress.set(override.address, {
      address: override.address,
      stateDiff: [...(other?.stateDiff ?? []), ...(override.stateDiff ?? [])],
    })
  }
  return [...byAddress.values()]
}
