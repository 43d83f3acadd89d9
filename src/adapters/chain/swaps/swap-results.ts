import { type Address, decodeEventLog, type Hex } from 'viem'
import { type Log, type Route, sameAddress } from '../../../domain/ports/chains.ts'
import { tokenAbi, v2Abi, v3Abi, wrappedAbi } from '../reads/abis.ts'
import type { Deployment } from '../reads/deployment.ts'
import { contractRoute, nativeEnds } from '../reads/native.ts'
import { exchangeOf } from './swap-calls.ts'

/**
 * What the owner paid and received in a transaction: the net transfers of the two tokens, what the router wrapped or
 * unwrapped of the native currency, and the pools' Swap events for a token that reports no transfer.
 */
export function fillOf(
  deployment: Deployment,
  logs: readonly Log[],
  route: Route,
  owner: Address,
): { amountIn: bigint; amountOut: bigint } {
  const ends = nativeEnds(route)
  const { tokens } = contractRoute(deployment, route)
  if (route.venue === 'wrapped_native') {
    const amount = wrapped(logs, tokens[0], ends.in ? 'Deposit' : 'Withdrawal', owner)
    return { amountIn: amount, amountOut: amount }
  }
  const router = exchangeOf(deployment, route)
  const paid = ends.in ? wrapped(logs, tokens[0], 'Deposit', router) : -netTransfers(logs, tokens[0], owner)
  const received = ends.out
    ? wrapped(logs, tokens.at(-1), 'Withdrawal', router)
    : netTransfers(logs, tokens.at(-1), owner)
  return {
    amountIn: paid > 0n ? paid : swapped(logs, route.pools[0], 'in'),
    amountOut: received > 0n ? received : swapped(logs, route.pools.at(-1), 'out'),
  }
}

function netTransfers(logs: readonly Log[], token: Address | undefined, owner: Address): bigint {
  if (token === undefined) return 0n
  return logs
    .filter((log) => sameAddress(log.address, token))
    .reduce((net, log) => {
      const transfer = decoded(tokenAbi, log)
      if (transfer?.eventName !== 'Transfer') return net
      const { from, to, value } = transfer.args
      return net + (sameAddress(to, owner) ? value : 0n) - (sameAddress(from, owner) ? value : 0n)
    }, 0n)
}

/** What an account wrapped or unwrapped of the native currency. */
function wrapped(
  logs: readonly Log[],
  token: Address | undefined,
  event: 'Deposit' | 'Withdrawal',
  account: Address,
): bigint {
  if (token === undefined) return 0n
  return logs
    .filter((log) => sameAddress(log.address, token))
    .reduce((sum, log) => {
      const found = decoded(wrappedAbi, log)
      return found?.eventName === event && sameAddress(found.args.account, account) ? sum + found.args.amount : sum
    }, 0n)
}

/** What went into or out of a pool by its own account. */
function swapped(logs: readonly Log[], pool: Address | undefined, side: 'in' | 'out'): bigint {
  if (pool === undefined) return 0n
  let sum = 0n
  for (const log of logs.filter((entry) => sameAddress(entry.address, pool))) {
    const v2 = decoded(v2Abi, log)
    if (v2 !== null)
      sum += side === 'in' ? v2.args.amount0In + v2.args.amount1In : v2.args.amount0Out + v2.args.amount1Out
    const v3 = decoded(v3Abi, log)
    if (v3 !== null) {
      const { amount0, amount1 } = v3.args
      const [inward, outward] = amount0 > amount1 ? [amount0, -amount1] : [amount1, -amount0]
      sum += side === 'in' ? inward : outward
    }
  }
  return sum
}

function decoded<const abi extends typeof tokenAbi | typeof v2Abi | typeof v3Abi | typeof wrappedAbi>(
  abi: abi,
  log: Log,
) {
  try {
    return decodeEventLog({ abi, topics: log.topics as [Hex, ...Hex[]], data: log.data })
  } catch {
    return null // another event
  }
}
