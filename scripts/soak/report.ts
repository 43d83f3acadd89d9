import { alignedTable } from '../markdown-table.ts'
import type { Windows } from './faults/windows.ts'
import type { LogFindings } from './log.ts'
import type { Judgement } from './memory.ts'
import type { Outcomes } from './outcomes.ts'

export type Findings = {
  outcomes: Outcomes
  windows: Windows
  log: LogFindings
  judgements: readonly Judgement[]
  /** The period of the traffic, in the time of `performance.now()`. */
  traffic: { from: number; to: number }
}

/** Prints the findings; returns how many of them are failures. */
export function report({ outcomes, windows, log: { warnings, bad }, judgements, traffic }: Findings): number {
  console.log('\nfaults that were injected')
  print([['fault', 'times'], ...[...windows.counts()].toSorted().map(([fault, count]) => [fault, `${count}`])])
  console.log('\nshare of the time in which an error could have been laid to a fault')
  print([
    ['operation', 'share'],
    ...coversOf(outcomes.answered(), (one) => windows.coverOf(one, traffic.from, traffic.to)),
  ])
  console.log('\nerrors')
  const rows = outcomes.rows().toSorted((a, b) => a.operation.localeCompare(b.operation))
  const received = rows.map((row) => [...[row.operation, row.protocol, row.code, `${row.count}`], row.cause ?? 'NONE'])
  print([['operation', 'protocol', 'code', 'count', 'cause'], ...received])
  console.log('\nwarnings of the log')
  print([['warning', 'times'], ...[...warnings].map(([words, count]) => [words, `${count}`])])
  console.log('\nmemory and descriptors')
  const verdict = (holds: boolean | null) => (holds === null ? '' : holds ? 'holds' : 'DOES NOT HOLD')
  print([
    ['what', 'found', 'bound', ''],
    ...judgements.map(({ what, found, bound, holds }) => [what, found, bound, verdict(holds)]),
  ])
  for (const line of bad) console.log(`LOG ${line}`)
  const failures =
    outcomes.errors().unexpected +
    outcomes.breaches() +
    bad.length +
    judgements.filter(({ holds }) => holds === false).length
  console.log(`\n${outcomes.requests()} requests, ${outcomes.errors().expected} expected errors, ${failures} findings`)
  return failures
}

/** The operations that a fault may have covered, the most covered first, and all of them together. */
function coversOf(operations: ReadonlySet<string>, coverOf: (operation: string) => number): string[][] {
  const covers = [...operations].map((operation) => ({ operation, share: coverOf(operation) }))
  const some = covers.filter(({ share }) => share > 0).toSorted((a, b) => b.share - a.share)
  const mean = covers.reduce((sum, { share }) => sum + share, 0) / Math.max(1, covers.length)
  const rest = { operation: `each of the ${covers.length - some.length} others`, share: 0 }
  const all = { operation: `all ${covers.length} on average`, share: mean }
  return [...some, rest, all].map(({ operation, share }) => [operation, `${(share * 100).toFixed(1)} %`])
}

function print(rows: string[][]): void {
  console.log(alignedTable(rows))
}
