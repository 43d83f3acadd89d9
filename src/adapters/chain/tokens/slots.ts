import { type Address, type Hex, numberToHex, type StateOverride } from 'viem'
import { isSilence } from '../../node/errors/failures.ts'
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
/** A value that no storage slot contains by chance. */
const marker = 0x5eed_0000_0000_0001_7a1en

/**
 * Finds the storage slot of a balance or an allowance: each slot that the getter reads is overridden until its result
 * shows the value. It works for any layout and through proxies.
 */
export function createSlotFinder({ client, deployment }: Connection): SlotFinder {
  // Some nodes let the caller of an access list pay for its gas, and there the zero address owns nothing. The wrapped
  // token's contract holds what is wrapped in it.
  const account = deployment.wrapped_native
  const remembered = new Map<string, Slot | null>()

  async function locate(token: Address, data: Hex): Promise<Slot | null> {
    const key = `${token}:${data}`.toLowerCase()
    const before = remembered.get(key)
    if (before !== undefined) return before
    const listed = await client.createAccessList({ account, to: token, data }).catch(nullUnlessSilent)
    if (listed === null) return null
    const touched = listed.accessList.flatMap(({ address, storageKeys }) =>
      storageKeys.map((slot) => ({ address, slot })),
    )
    const found = await firstThatShows(token, data, touched.slice(0, 20))
    if (remembered.size > mostRemembered) remembered.clear()
    remembered.set(key, found)
    return found
  }

  async function firstThatShows(token: Address, data: Hex, candidates: readonly Slot[]): Promise<Slot | null> {
    for (const candidate of candidates) {
      const stateOverride = [overrideOf(candidate, marker)]
      const answer = await client.call({ account, to: token, data, stateOverride }).catch(nullUnlessSilent)
      if (answer?.data !== undefined && answer.data.length >= 66 && BigInt(answer.data.slice(0, 66)) === marker)
        return candidate
    }
    return null
  }

  return {
    async fund(token, owner, amount, spender) {
      const slots = [await locate(token, tokenViews.balanceOf(token, owner).callData)]
      if (spender !== null) slots.push(await locate(token, tokenViews.allowance(token, owner, spender).callData))
      const found = slots.filter((slot) => slot !== null)
      return found.length === slots.length ? merged(found.map((slot) => overrideOf(slot, amount))) : null
    },
  }
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
