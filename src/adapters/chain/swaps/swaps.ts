import { type Address, decodeFunctionData, encodeFunctionData, type StateOverride } from 'viem'
import { DomainError } from '../../../domain/core/errors.ts'
import type {
  Arrival,
  Head,
  Leg,
  Route,
  SwapPlan,
  SwapSimulation,
  TransactionCall,
} from '../../../domain/ports/chains.ts'
import { isSilence } from '../../node/errors/failures.ts'
import { adviceFor, revertOf } from '../../node/errors/reverts.ts'
import { tokenAbi } from '../reads/abis.ts'
import { type Connection, readHead } from '../reads/connection.ts'
import { usualApproval, usualGas, withMargin } from '../reads/gas.ts'
import { nativeEnds } from '../reads/native.ts'
import type { SlotFinder } from '../tokens/slots.ts'
import { measureArrival } from './arrivals.ts'
import { spenderOf, swapCall } from './swap-calls.ts'

/** Stands for a trader who holds whatever the trade needs. */
const anybody: Address = '0x7a00000000000000000000000000000000001dea'
const plenty = 10n ** 24n

type Run = { ok: true } | { ok: false; reason: string }

/** Simulates, measures and encodes swaps over one connection. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share one connection
export function createSwaps(connection: Connection, slots: SlotFinder) {
  const { client, deployment } = connection

  /** State in which the owner has the tokens and the approval, and can pay for the gas. */
  async function overridden(plan: Pick<SwapPlan, 'route' | 'owner' | 'amountIn'>): Promise<StateOverride | null> {
    const purse = { address: plan.owner, balance: plenty + plan.amountIn }
    if (nativeEnds(plan.route).in) return [purse]
    const tokens = await slots.fund(firstOf(plan.route), plan.owner, plan.amountIn, spenderOf(deployment, plan.route))
    return tokens === null ? null : [purse, ...tokens]
  }

  async function run(plan: SwapPlan, block: Head, override: StateOverride | null): Promise<Run> {
    const state = override === null ? {} : { stateOverride: override }
    const call = swapCall(deployment, plan)
    try {
      await client.call({
        account: plan.owner,
        to: call.to,
        data: call.data,
        value: call.value,
        blockNumber: block.number,
        ...state,
      })
      return { ok: true }
    } catch (error) {
      const reason = revertOf(error)
      if (reason !== null) return { ok: false, reason }
      if (isSilence(error)) throw error
      return { ok: false, reason: /out of ?gas/i.test(String(error)) ? 'out of gas' : 'it gave no reason' }
    }
  }

  async function gasOf(plan: SwapPlan, override: StateOverride | null): Promise<bigint> {
    const state = override === null ? {} : { stateOverride: override }
    const { to, data, value } = swapCall(deployment, plan)
    try {
      return withMargin(await client.estimateGas({ account: plan.owner, to, data, value, ...state }))
    } catch (error) {
      if (isSilence(error)) throw error
      return usualGas(plan.route)
    }
  }

  return {
    async estimateGas(route: Route, amountIn: bigint): Promise<bigint> {
      const plan = { route, owner: anybody, amountIn, minimumOut: 0n, deadline: farFuture }
      const override = await overridden(plan)
      return override === null ? usualGas(route) : await gasOf(plan, override)
    },

    async simulate(plan: SwapPlan, options: { fundOwner: boolean }): Promise<SwapSimulation> {
      const [block, override] = await Promise.all([readHead(connection), options.fundOwner ? overridden(plan) : null])
      if (options.fundOwner && override === null) {
        const advice = 'Try it with a wallet that holds the token and has approved it.'
        return { ok: false, reason: 'the node cannot pretend that the wallet holds the token', advice, block }
      }
      const funded = options.fundOwner
      const refused = (reason: string) => ({ ok: false, reason, advice: adviceFor(reason, { funded }), block }) as const
      const tried = await run(plan, block, override)
      if (!tried.ok) return refused(tried.reason)
      const [arrival, gas] = await Promise.all([measureArrival(connection, slots, plan, block), gasOf(plan, override)])
      if (arrival === null) return refused('the node does not tell what would arrive')
      if (!arrival.ok) return { ...arrival, block }
      const { amountOut } = arrival
      return amountOut < plan.minimumOut
        ? refused('less would arrive than the least that was allowed')
        : { ok: true, amountOut, gas, block }
    },

    /** What a stranger would get, another one at each block: a token cannot know it in advance. */
    async arrivalOf(route: Route, amountIn: bigint, block: Head): Promise<Arrival | null> {
      const owner: Address = `0x${block.hash.slice(-40)}`
      return await measureArrival(
        connection,
        slots,
        { route, owner, amountIn, minimumOut: 0n, deadline: farFuture },
        block,
      )
    },

    async legs(plan: SwapPlan): Promise<readonly Leg[]> {
      const spender = spenderOf(deployment, plan.route)
      const [override, approvals] = await Promise.all([
        overridden(plan),
        spender === null ? [] : approvalLegs(firstOf(plan.route), spender, plan),
      ])
      return [...approvals, { kind: 'swap', call: swapCall(deployment, plan), gas: await gasOf(plan, override) }]
    },
  }

  /** The approvals of exactly the amount: what stands already may be another trade's that is under way. */
  async function approvalLegs(token: Address, spender: Address, { owner, amountIn }: SwapPlan): Promise<Leg[]> {
    const approve = (amount: bigint) => approval(token, spender, amount)
    const args = [owner, spender] as const
    const allowed = await client.readContract({ address: token, abi: tokenAbi, functionName: 'allowance', args })
    const direct = await approvalGas(owner, approve(amountIn))
    // Over an approval that stands it is cheap, and that one may be used up before this one is mined.
    if (direct !== null) return [{ kind: 'approve', call: approve(amountIn), gas: atLeastUsual(direct) }]
    // Some tokens take a new approval only once the old one is zero.
    const reset = allowed === 0n ? null : await approvalGas(owner, approve(0n))
    if (reset === null)
      throw new DomainError('FAILED_PRECONDITION', 'The token refuses the approval: check its risk before any trade.')
    return [
      { kind: 'approve', call: approve(0n), gas: reset },
      { kind: 'approve', call: approve(amountIn), gas: atLeastUsual(reset) },
    ]
  }

  async function approvalGas(owner: Address, call: TransactionCall): Promise<bigint | null> {
    try {
      return withMargin(await client.estimateGas({ account: owner, to: call.to, data: call.data }))
    } catch (error) {
      if (revertOf(error) !== null) return null
      if (isSilence(error)) throw error
      return usualApproval // the owner cannot pay for gas yet: the sender says so better
    }
  }
}

function atLeastUsual(gas: bigint): bigint {
  return gas > usualApproval ? gas : usualApproval
}

/** A deadline that no run of an estimate can miss. */
const farFuture = 2n ** 40n

/** The same approval of nothing. */
export function revocation({ to, data }: TransactionCall): TransactionCall {
  const { args } = decodeFunctionData({ abi: tokenAbi, data })
  return approval(to, (args as readonly [Address])[0], 0n)
}

function approval(token: Address, spender: Address, amount: bigint): TransactionCall {
  return {
    to: token,
    data: encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, amount] }),
    value: 0n,
  }
}

function firstOf(route: Route): Address {
  const [token] = route.tokens
  if (token === undefined) throw new Error('a route without tokens')
  return token
}
