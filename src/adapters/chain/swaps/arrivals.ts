import { type Address, decodeFunctionResult, type Hex, type StateOverride } from 'viem'
import type { Arrival, Head, Route, RouteQuote, SwapPlan } from '../../../domain/ports/chains.ts'
import { provesNothing } from '../../node/errors/failures.ts'
import { adviceFor, reasonOf, revertOf } from '../../node/errors/reverts.ts'
import { multicallAbi } from '../reads/abis.ts'
import type { Connection } from '../reads/connection.ts'
import { soundTokens } from '../reads/deployment.ts'
import { contractToken, nativeEnds } from '../reads/native.ts'
import { multicallCalls, multicallViews, tokenViews } from '../reads/views.ts'
import type { SlotFinder } from '../tokens/slots.ts'
import { firstTokenOf, spenderOf, swapCall } from './swap-calls.ts'

/** A deadline in seconds that never passes in a simulation. */
export const farFuture = 2n ** 40n

/** The sender of simulated calls: it pays no gas, and stands in for a trader who holds everything that the trade needs. */
export const simulatedCaller: Address = '0x7a00000000000000000000000000000000001dea'

/** What arrives for a quoted swap at a block. */
export type Arrivals = (quote: RouteQuote, amountIn: bigint, block: Head) => Promise<Arrival | null>

/** Creates the measurement of quotes. */
export function createArrivals(connection: Connection, slots: SlotFinder): Arrivals {
  const { deployment, view } = connection
  const sound = new Set(soundTokens(deployment).map(({ address }) => address.toLowerCase()))
  const isSound = ({ tokens }: Route) =>
    tokens.every((token) => sound.has(contractToken(deployment, token).toLowerCase()))

  /** An unknown account makes the swap, a different one at each block, so that a token cannot recognise it. */
  async function measure({ route, amountOut }: RouteQuote, amountIn: bigint, block: Head) {
    const owner: Address = `0x${block.hash.slice(-40)}`
    const plan = { route, owner, amountIn, minimumOut: 0n, deadline: farFuture }
    const arrival = await measureArrival(connection, slots, plan, block)
    return { arrival, isExact: arrival?.ok === true && arrival.amountOut === amountOut }
  }

  return async (quote, amountIn, block) => {
    const { once } = await view()
    const name = `arrival ${block.hash} ${routeKey(quote.route)}`
    const ofAmount = async () => await once(`${name} ${amountIn}`, () => measure(quote, amountIn, block))
    if (!isSound(quote.route)) return (await ofAmount()).arrival
    const { isExact } = await once(name, ofAmount)
    return isExact ? { ok: true, amountOut: quote.amountOut } : (await ofAmount()).arrival
  }
}

/** A text that is the same for equal routes alone. */
export function routeKey({ venue, tokens, feePips, pools }: Route): string {
  return [venue, ...tokens, ...feePips, ...pools].join(' ')
}

/**
 * Measures what a swap brings to its owner by the balance before and after, in one simulated call. The routers' return
 * values do not include transfer taxes. Another account makes the call, so the owner needs nothing. The plan's minimum
 * does not apply. Null where the node cannot override balances.
 */
export async function measureArrival(
  { client, deployment, at, lacks }: Connection,
  slots: SlotFinder,
  plan: SwapPlan,
  block: Head,
): Promise<Arrival | null> {
  const { route, owner, amountIn } = plan
  if (route.venue === 'wrapped_native') return { ok: true, amountOut: amountIn }
  if (lacks.has('state overrides')) return null
  const payer = deployment.multicall3
  const ends = nativeEnds(route)
  const first = firstTokenOf(route)
  const last = route.tokens.at(-1) ?? first
  const funds: StateOverride | null = ends.in
    ? []
    : await slots.fund(first, payer, amountIn, spenderOf(deployment, route))
  if (funds === null) return null
  const { to, data, value } = swapCall(deployment, { ...plan, minimumOut: 0n })
  const { target, callData } = ends.out ? multicallViews.getEthBalance(payer, owner) : tokenViews.balanceOf(last, owner)
  const counting = { target, callData, allowFailure: true, value: 0n }
  const calls = [counting, { target: to, allowFailure: true, value, callData: data }, counting]
  try {
    const answer = await client.call({
      account: simulatedCaller,
      to: payer,
      value,
      ...at(block),
      data: multicallCalls.aggregate3Value(calls),
      stateOverride: [{ address: simulatedCaller, balance: 10n ** 24n + value }, ...funds],
    })
    return read(answer.data ?? '0x')
  } catch (error) {
    if (provesNothing(error)) throw error
    return refused(revertOf(error) ?? 'it gave no reason')
  }
}

/** Why nothing could be measured or pretended, and what to do about it. */
export function whyUnmeasured({ lacks, deployment }: Connection): { reason: string; advice: string } {
  const nodes = `the nodes of the chain ${deployment.name}`
  if (lacks.has('state overrides')) {
    const reason = `${nodes} do not run eth_call with state overrides, which the check of a trade needs`
    return { reason, advice: `Set CHAIN_RPC_URL to a node that does, such as ${ableNodes}.` }
  }
  if (lacks.has('access lists')) {
    const reason = `${nodes} have no eth_createAccessList, and the token keeps its balances in no usual place`
    return { reason, advice: `Set CHAIN_RPC_URL to a node that has it, such as ${ableNodes}.` }
  }
  const advice = 'Try it with a wallet that holds the token and has approved it.'
  return { reason: 'the node cannot pretend that the wallet holds the token', advice }
}

const ableNodes = 'go-ethereum, reth, erigon or nethermind'

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
