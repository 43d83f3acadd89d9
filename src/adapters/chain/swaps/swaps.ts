import type { StateOverride } from 'viem'
import type { Leg, Route, SwapPlan, SwapSimulation, TransactionCall } from '../../../domain/ports/chains.ts'
import { provesNothing } from '../../node/errors/failures.ts'
import { adviceFor, isBelowMinimum, revertOf } from '../../node/errors/reverts.ts'
import { type Connection, readHead } from '../reads/connection.ts'
import { typicalGas, withMargin } from '../reads/gas.ts'
import { nativeEnds } from '../reads/native.ts'
import type { SlotFinder } from '../tokens/slots.ts'
import { approvalLegs } from './approvals.ts'
import { farFuture, measureArrival, simulatedCaller, whyUnmeasured } from './arrivals.ts'
import { firstTokenOf, spenderOf, swapCall } from './swap-calls.ts'

/** An amount of wei that pays for any gas. */
const plenty = 10n ** 24n

/** Simulates, measures and encodes swaps over one connection. */
export function createSwaps(connection: Connection, slots: SlotFinder) {
  const { deployment } = connection
  const typical = typicalGas(connection)

  /** The state override that gives the owner the tokens, the approval and gas; null where it cannot be found. */
  async function funded(plan: Pick<SwapPlan, 'route' | 'owner' | 'amountIn'>): Promise<StateOverride | null> {
    if (connection.lacks.has('state overrides')) return null
    const funds = { address: plan.owner, balance: plenty + plan.amountIn }
    if (nativeEnds(plan.route).in) return [funds]
    const tokens = await slots.fund(
      firstTokenOf(plan.route),
      plan.owner,
      plan.amountIn,
      spenderOf(deployment, plan.route),
    )
    return tokens === null ? null : [funds, ...tokens]
  }

  return {
    /** The gas limit of a swap by an account that is pretended, and its call. */
    async estimateGas(route: Route, amountIn: bigint): Promise<{ gas: bigint; call: TransactionCall }> {
      const plan = { route, owner: simulatedCaller, amountIn, minimumOut: 0n, deadline: farFuture }
      const override = await funded(plan)
      const gas = override === null ? await typical(route) : await gasOf(connection, typical, plan, override)
      return { gas, call: swapCall(deployment, plan) }
    },

    async simulate(plan: SwapPlan, { fundOwner }: { fundOwner: boolean }): Promise<SwapSimulation> {
      const [block, override] = await Promise.all([readHead(connection), fundOwner ? funded(plan) : null])
      if (fundOwner && override === null) return { ok: false, ...whyUnmeasured(connection), block }
      const refused = (reason: string) =>
        ({ ok: false, reason, advice: adviceFor(reason, { funded: fundOwner }), block }) as const
      const [tried, arrival] = await Promise.all([
        trySwap(connection, typical, plan, override),
        measureArrival(connection, slots, plan, block),
      ])
      const tooLittle =
        arrival?.ok === true && arrival.amountOut < plan.minimumOut ? { arrives: arrival.amountOut } : {}
      if (!tried.ok) return { ...refused(tried.reason), ...(isBelowMinimum(tried.reason) ? tooLittle : {}) }
      if (arrival === null) return { ok: false, ...whyUnmeasured(connection), block }
      if (!arrival.ok) return { ...arrival, block }
      const { amountOut } = arrival
      return amountOut < plan.minimumOut
        ? { ...refused('less would arrive than the least that was allowed'), ...tooLittle }
        : { ok: true, amountOut, gas: tried.gas, block }
    },

    async legs(plan: SwapPlan): Promise<readonly Leg[]> {
      const spender = spenderOf(deployment, plan.route)
      const [override, approvals] = await Promise.all([
        funded(plan),
        spender === null ? [] : approvalLegs(connection, firstTokenOf(plan.route), spender, plan),
      ])
      const gas = await gasOf(connection, typical, plan, override)
      return [...approvals, { kind: 'swap', call: swapCall(deployment, plan), gas }]
    },
  }
}

type Typical = ReturnType<typeof typicalGas>

type Tried = { ok: true; gas: bigint } | { ok: false; reason: string }

/**
 * The gas limit of the swap, with a margin, or why it would fail, as the contract reports it. A trade asks for it where it
 * is simulated, and again for its transactions. The gas is the typical one where the node cannot measure it.
 */
async function trySwap(
  connection: Connection,
  typical: Typical,
  plan: SwapPlan,
  override: StateOverride | null,
): Promise<Tried> {
  const { client, deployment, view, at } = connection
  const { to, data, value } = swapCall(deployment, plan)
  const call = { account: plan.owner, to, data, value, ...(override === null ? {} : { stateOverride: override }) }
  const { block, once } = await view()
  return await once(`swap ${plan.owner} ${to} ${value} ${data} ${override === null}`, async () => {
    try {
      return { ok: true, gas: withMargin(await client.estimateGas(call)) }
    } catch (error) {
      if (provesNothing(error)) throw error // not every node estimates with the state that is pretended: the call decides
    }
    try {
      await client.call({ ...call, ...at(block) })
      return { ok: true, gas: await typical(plan.route) }
    } catch (error) {
      if (provesNothing(error)) throw error
      const unclear = /out of ?gas/i.test(String(error)) ? 'out of gas' : 'it gave no reason'
      return { ok: false, reason: revertOf(error) ?? unclear }
    }
  })
}

/** The gas limit of a swap that may not be possible yet. */
async function gasOf(
  connection: Connection,
  typical: Typical,
  plan: SwapPlan,
  override: StateOverride | null,
): Promise<bigint> {
  const tried = await trySwap(connection, typical, plan, override)
  return tried.ok ? tried.gas : await typical(plan.route)
}
