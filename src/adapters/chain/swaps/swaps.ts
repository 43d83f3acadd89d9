import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, type StateOverride } from 'viem'
import type { Arrival, Head, Leg, Route, SwapPlan, SwapSimulation } from '../../../domain/ports/chains.ts'
import { isSilence } from '../../node/errors/failures.ts'
import { adviceFor, reasonOf, revertOf } from '../../node/errors/reverts.ts'
import { multicallAbi, tokenAbi } from '../reads/abis.ts'
import { type Connection, readHead } from '../reads/connection.ts'
import { usualGas, withMargin } from '../reads/gas.ts'
import { nativeEnds } from '../reads/native.ts'
import type { SlotFinder } from '../tokens/slots.ts'
import { approvalLegs } from './approvals.ts'
import { spenderOf, swapCall } from './swap-calls.ts'

/** An amount of wei that pays for any gas. */
const plenty = 10n ** 24n
/** A deadline in seconds that never passes in a simulation. */
const farFuture = 2n ** 40n

/** Simulates, measures and encodes swaps over one connection. */
export function createSwaps(connection: Connection, slots: SlotFinder) {
  const { deployment } = connection

  /** The state override that gives the owner the tokens, the approval and gas; null where it cannot be found. */
  async function funded(plan: Pick<SwapPlan, 'route' | 'owner' | 'amountIn'>): Promise<StateOverride | null> {
    const funds = { address: plan.owner, balance: plenty + plan.amountIn }
    if (nativeEnds(plan.route).in) return [funds]
    const tokens = await slots.fund(firstOf(plan.route), plan.owner, plan.amountIn, spenderOf(deployment, plan.route))
    return tokens === null ? null : [funds, ...tokens]
  }

  return {
    async estimateGas(route: Route, amountIn: bigint): Promise<bigint> {
      const plan = { route, owner: simulatedCaller, amountIn, minimumOut: 0n, deadline: farFuture }
      const override = await funded(plan)
      return override === null ? usualGas(route) : await gasOf(connection, plan, override)
    },

    async simulate(plan: SwapPlan, { fundOwner }: { fundOwner: boolean }): Promise<SwapSimulation> {
      const [block, override] = await Promise.all([readHead(connection), fundOwner ? funded(plan) : null])
      if (fundOwner && override === null) {
        const advice = 'Try it with a wallet that holds the token and has approved it.'
        return { ok: false, reason: 'the node cannot pretend that the wallet holds the token', advice, block }
      }
      const refused = (reason: string) =>
        ({ ok: false, reason, advice: adviceFor(reason, { funded: fundOwner }), block }) as const
      const reason = await refusalOf(connection, plan, block, override)
      if (reason !== null) return refused(reason)
      const [arrival, gas] = await Promise.all([
        measureArrival(connection, slots, plan, block),
        gasOf(connection, plan, override),
      ])
      if (arrival === null) return refused('the node cannot measure what would arrive')
      if (!arrival.ok) return { ...arrival, block }
      const { amountOut } = arrival
      return amountOut < plan.minimumOut
        ? refused('less would arrive than the least that was allowed')
        : { ok: true, amountOut, gas, block }
    },

    /** What arrives for an unknown account, a different one at each block, so that a token cannot recognise it. */
    async arrivalOf(route: Route, amountIn: bigint, block: Head): Promise<Arrival | null> {
      const owner: Address = `0x${block.hash.slice(-40)}`
      const plan = { route, owner, amountIn, minimumOut: 0n, deadline: farFuture }
      return await measureArrival(connection, slots, plan, block)
    },

    async legs(plan: SwapPlan): Promise<readonly Leg[]> {
      const spender = spenderOf(deployment, plan.route)
      const [override, approvals] = await Promise.all([
        funded(plan),
        spender === null ? [] : approvalLegs(connection, firstOf(plan.route), spender, plan),
      ])
      const gas = await gasOf(connection, plan, override)
      return [...approvals, { kind: 'swap', call: swapCall(deployment, plan), gas }]
    },
  }
}

/** Why the swap would fail at the block, as the contract reports it; null where it would succeed. */
async function refusalOf(
  { client, deployment }: Connection,
  plan: SwapPlan,
  block: Head,
  override: StateOverride | null,
): Promise<string | null> {
  const { to, data, value } = swapCall(deployment, plan)
  const state = override === null ? {} : { stateOverride: override }
  try {
    await client.call({ account: plan.owner, to, data, value, blockNumber: block.number, ...state })
    return null
  } catch (error) {
    const reason = revertOf(error)
    if (reason !== null) return reason
    if (isSilence(error)) throw error
    return /out of ?gas/i.test(String(error)) ? 'out of gas' : 'it gave no reason'
  }
}

/**
 * The gas limit of the swap: the measured gas with a margin, or the typical gas where the node cannot measure it. A trade
 * asks for it where it is simulated, and again for its transactions.
 */
async function gasOf(
  { client, deployment, view }: Connection,
  plan: SwapPlan,
  override: StateOverride | null,
): Promise<bigint> {
  const { to, data, value } = swapCall(deployment, plan)
  const state = override === null ? {} : { stateOverride: override }
  const measure = async () => {
    try {
      return withMargin(await client.estimateGas({ account: plan.owner, to, data, value, ...state }))
    } catch (error) {
      if (isSilence(error)) throw error
      return usualGas(plan.route)
    }
  }
  return await (await view()).once(`gas ${plan.owner} ${to} ${value} ${data} ${override === null}`, measure)
}

function firstOf(route: Route): Address {
  const [token] = route.tokens
  if (token === undefined) throw new Error('The route has no tokens.')
  return token
}

/** The sender of simulated calls: it pays no gas, and stands in for a trader who holds everything that the trade needs. */
const simulatedCaller: Address = '0x7a00000000000000000000000000000000001dea'

/**
 * Measures what a swap brings to its owner by the balance before and after, in one simulated call. The routers' return
 * values do not include transfer taxes. Another account makes the call, so the owner needs nothing. The plan's minimum
 * does not apply. Null where the node cannot override balances.
 */
async function measureArrival(
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
