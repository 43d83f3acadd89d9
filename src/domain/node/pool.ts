import { contract } from '../../contract/index.ts'
import type { Fail } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'

const { txpoolContent: content, txpoolContentFrom: contentFrom, txpoolInspect: inspect } = contract.chain

/** Most transactions of one answer; what showing each counts as, so that a hundred count as a million gas. */
const poolLimits = { transactions: 10_000, gasOfEach: 10_000 } as const

type PoolCall = {
  signal: AbortSignal
  keyOrAddress: string
  spent: (gas: number) => void
  fail: Fail<'LIMIT_EXCEEDED'>
}

/** What a pool has by account, and of each by nonce. */
type ByAccount = Record<string, Record<string, unknown>>

export const txpoolContent: Handler<typeof content, 'node'> = async (ports, _input, call) =>
  (await shownPool(ports, content.rpc.method, [], call, accountsIn)) as never

export const txpoolInspect: Handler<typeof inspect, 'node'> = async (ports, _input, call) =>
  (await shownPool(ports, inspect.rpc.method, [], call, accountsIn)) as never

export const txpoolContentFrom: Handler<typeof contentFrom, 'node'> = async (ports, { address }, call) =>
  (await shownPool(ports, contentFrom.rpc.method, [address], call, (part) => Object.keys(part).length)) as never

/** Reads a pool, counts what it shows, and refuses what is too much. The gateway checks the result against the contract. */
async function shownPool(
  { node }: Pick<Ports, 'node'>,
  method: string,
  params: readonly unknown[],
  { signal, keyOrAddress, spent, fail }: PoolCall,
  count: (part: ByAccount) => number,
): Promise<unknown> {
  const shown = (await node.request(method, params, signal, { name: keyOrAddress, spent })) as Record<string, ByAccount>
  const found = count(shown.pending ?? {}) + count(shown.queued ?? {})
  spent(found * poolLimits.gasOfEach)
  const most = poolLimits.transactions
  if (found <= most) return shown
  const message = `The pool has ${found} transactions, and at most ${most} are shown at once. Use txpool_contentFrom for one account, or txpool_status.`
  throw fail('LIMIT_EXCEEDED', message, { metadata: { limit: `${most}` } })
}

function accountsIn(part: ByAccount): number {
  return Object.values(part).reduce((sum, own) => sum + Object.keys(own).length, 0)
}
