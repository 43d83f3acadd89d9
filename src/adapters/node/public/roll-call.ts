import { DomainError } from '../../../domain/errors.ts'
import { httpNode } from './http-node.ts'

/** How many nodes there are, and the hosts of those that did not answer, in order; a host holds no key. */
export type RollCall = { total: number; silent: string[] }

/** Asks every node at once whether it is there; any answer counts, also that it does not know the method. */
export async function rollCall(addresses: readonly string[], timeoutMs = 5_000): Promise<RollCall> {
  const answered = await Promise.all(addresses.map((address) => answers(address, timeoutMs)))
  const silent = addresses.filter((_, index) => answered[index] === false).map((address) => new URL(address).host)
  return { total: addresses.length, silent }
}

async function answers(address: string, timeoutMs: number): Promise<boolean> {
  try {
    await httpNode(address, timeoutMs)('eth_chainId', [], new AbortController().signal)
    return true
  } catch (failure) {
    return !(failure instanceof DomainError)
  }
}
