import { type Address, decodeFunctionData } from 'viem'
import { DomainError } from '../../../domain/core/errors.ts'
import type { Leg, SwapPlan, TransactionCall } from '../../../domain/ports/chains.ts'
import { isSilence } from '../../node/errors/failures.ts'
import { revertOf } from '../../node/errors/reverts.ts'
import { tokenAbi } from '../reads/abis.ts'
import type { Connection } from '../reads/connection.ts'
import { usualApproval, withMargin } from '../reads/gas.ts'
import { readAll } from '../reads/multicall.ts'
import { tokenCalls, tokenViews } from '../reads/views.ts'

/**
 * The approvals of exactly the amount to sell, in the order they must be mined. An existing allowance is not used,
 * because another open trade may use it. Throws FAILED_PRECONDITION where the token refuses the approval.
 */
export async function approvalLegs(
  connection: Connection,
  token: Address,
  spender: Address,
  { owner, amountIn }: Pick<SwapPlan, 'owner' | 'amountIn'>,
): Promise<Leg[]> {
  async function gasOf(call: TransactionCall): Promise<bigint | null> {
    try {
      return withMargin(await connection.client.estimateGas({ account: owner, to: call.to, data: call.data }))
    } catch (error) {
      if (revertOf(error) !== null) return null
      if (isSilence(error)) throw error
      return usualApproval // the owner cannot pay for gas yet, which sending reports better
    }
  }

  const approve = approval(token, spender, amountIn)
  const reset = approval(token, spender, 0n)
  const gas = await gasOf(approve)
  // Changing an existing allowance uses less gas, but it may be zero by then, so the gas is estimated from zero.
  if (gas !== null) return [{ kind: 'approve', call: approve, gas: atLeastUsual(gas) }]
  // Some tokens accept a new allowance only once the old one is zero.
  const [allowed] = await readAll(connection, [tokenViews.allowance(token, owner, spender)])
  const resetGas = allowed === 0n ? null : await gasOf(reset)
  if (resetGas === null)
    throw new DomainError('FAILED_PRECONDITION', 'The token refuses the approval. Check its risk before you trade it.')
  return [
    { kind: 'approve', call: reset, gas: resetGas },
    { kind: 'approve', call: approve, gas: atLeastUsual(resetGas) },
  ]
}

function atLeastUsual(gas: bigint): bigint {
  return gas > usualApproval ? gas : usualApproval
}

/** The call that revokes an approval: an approval of zero. */
export function revocation({ to, data }: TransactionCall): TransactionCall {
  const { args } = decodeFunctionData({ abi: tokenAbi, data })
  return approval(to, (args as readonly [Address])[0], 0n)
}

function approval(token: Address, spender: Address, amount: bigint): TransactionCall {
  return { to: token, data: tokenCalls.approve(spender, amount), value: 0n }
}
