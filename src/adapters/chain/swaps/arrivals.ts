import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, type StateOverride } from 'viem'
import type { Arrival, Head, SwapPlan } from '../../../domain/ports/chains.ts'
import { isSilence } from '../../node/errors/failures.ts'
import { adviceFor, reasonOf, revertOf } from '../../node/errors/reverts.ts'
import { multicallAbi, tokenAbi } from '../reads/abis.ts'
import type { Connection } from '../reads/connection.ts'
import { nativeEnds } from '../reads/native.ts'
import type { SlotFinder } from '../tokens/slots.ts'
import { spenderOf, swapCall } from './swap-calls.ts'

/** The sender of simulated calls: it pays no gas, and stands in for a trader who holds everything that the trade needs. */
export const simulatedCaller: Address = '0x7a00000000000000000000000000000000001dea'

/**
 * Measures what a swap brings to its owner by the balance before and after, in one simulated call. The routers' return
 * values do not include transfer taxes. Another account makes the call, so the owner needs nothing. The plan's minimum
 * does not apply. Null where the node cannot override balances.
 */
export async function measureArrival(
  { client, deployment }: Connection,
  slots: SlotFinder,
  plan: SwapPlan,
  block: Head,
): Promise<Arrival | null> {
  const { route, owner, amountIn } = plan
  if (route.venue === 'wrapped_native') return { ok: true, amountOut: amountIn }
  const payer = deployment.multicall3
  const ends = nativeEnds(route)
  const [first, last] = [route.tokens[0], route.tokens.at(-1)]
  if (first === undefined || last === undefined) throw new Error('a route without tokens')
  const funds: StateOverride | null = ends.in
    ? []
    : await slots.fund(first, payer, amountIn, spenderOf(deployment, route))
  if (funds === null) return null
  const { to, data, value } = swapCall(deployment, { ...plan, minimumOut: 0n })
  const args = [owner] as const
  const count = ends.out
    ? { target: payer, callData: encodeFunctionData({ abi: multicallAbi, functionName: 'getEthBalance', args }) }
    : { target: last, callData: encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args }) }
  const counting = { ...count, allowFailure: true, value: 0n }
  const calls = [counting, { target: to, allowFailure: true, value, callData: data }, counting]
  try {
    const answer = await client.call({
      account: simulatedCaller,
      to: payer,
      value,
      blockNumber: block.number,
      data: encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3Value', args: [calls] }),
      stateOverride: [{ address: simulatedCaller, balance: 10n ** 24n + value }, ...funds],
    })
    return read(answer.data ?? '0x')
  } catch (error) {
    if (isSilence(error)) throw error
    return refused(revertOf(error) ?? 'it gave no reason')
  }
}

function read(data: Hex): Arrival {
  const [before, swap, after] = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3Value', data })
  if (swap?.success !== true) return refused(reasonOf(swap?.returnData ?? '0x'))
  if (before?.success !== true || after?.success !== true || before.returnData === '0x' || after.returnData === '0x')
    return refused('the token does not return balances')
  const gained = BigInt(after.returnData.slice(0, 66)) - BigInt(before.returnData.slice(0, 66))
  return gained > 0n ? { ok: true, amountOut: gained } : refused('nothing of the token would arrive')
}

function refused(reason: string): Arrival {
  return { ok: false, reason, advice: adviceFor(reason, { funded: true }) }
}
