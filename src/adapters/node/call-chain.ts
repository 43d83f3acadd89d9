import { invalid } from '../../domain/core/errors.ts'

type Call = { chainId?: unknown }
type Requested = Call & { blockStateCalls?: readonly { calls?: readonly Call[] }[] }

/** Throws INVALID_ARGUMENT where a simulated call names another chain's id. */
export function checkCallChain([requested]: readonly unknown[], chainId: number): void {
  if (typeof requested !== 'object' || requested === null) return
  const { blockStateCalls = [], ...call } = requested as Requested
  checkOne(call, 'transaction', chainId)
  for (const [block, { calls = [] }] of blockStateCalls.entries())
    for (const [index, one] of calls.entries())
      checkOne(one, `simulation.blockStateCalls.${block}.calls.${index}`, chainId)
}

function checkOne({ chainId: given }: Call, path: string, chainId: number): void {
  if (typeof given !== 'string' || BigInt(given) === BigInt(chainId)) return
  throw invalid(`${path}.chainId`, `is ${BigInt(given)}, but this chain has the id ${chainId}`)
}
