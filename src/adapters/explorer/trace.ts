import type { Parties, Party } from './parties.ts'

/** One call inside a transaction; value in wei. `hidden` counts the nested calls that the page omits. */
export type TracedCall = {
  type: string
  to: Party | null
  selector: string
  valueWei: bigint
  gasUsed: bigint
  error: string | null
  calls: TracedCall[]
  hidden: number
}

type Frame = {
  type?: string
  to?: string
  input?: string
  value?: string
  gasUsed?: string
  error?: string
  calls?: Frame[]
}

const mostCalls = 200
const mostDepth = 20

/** The call tree of the callTracer, cut to what a page can show. */
export function traceTree(trace: unknown, parties: Parties): TracedCall {
  let left = mostCalls
  const treeOf = (frame: Frame, depth: number): TracedCall => {
    left -= 1
    const below = frame.calls ?? []
    const calls: TracedCall[] = []
    for (const one of below) if (left > 0 && depth < mostDepth) calls.push(treeOf(one, depth + 1))
    return {
      type: String(frame.type ?? 'CALL').slice(0, 20),
      to: frame.to === undefined ? null : parties.party(frame.to),
      selector: String(frame.input ?? '0x').slice(0, 10),
      valueWei: BigInt(frame.value ?? 0),
      gasUsed: BigInt(frame.gasUsed ?? 0),
      error: frame.error === undefined ? null : frame.error.slice(0, 200).toWellFormed(),
      calls,
      hidden: below.length - calls.length,
    }
  }
  return treeOf(trace as Frame, 0)
}
