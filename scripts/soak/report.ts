import type { LogFindings } from './log.ts'
import type { Judgement } from './memory.ts'
import type { Outcomes } from './outcomes.ts'

/** Prints what was found in the end; answers how much of it must not be. */
export function report(
  outcomes: Outcomes,
  faults: ReadonlyMap<string, number>,
  { warnings, bad }: LogFindings,
  judgements: readonly Judgement[],
): number {
  console.log('\nfaults that were injected')
  print([['fault', 'times'], ...[...faults].toSorted().map(([fault, count]) => [fault, `${count}`])])
  console.log('\nerrors')
  const rows = outcomes.rows().toSorted((a, b) => a.operation.localeCompare(b.operation))
  const told = rows.map((row) => [...[row.operation, row.protocol, row.code, `${row.count}`], row.cause ?? 'NONE'])
  print([['operation', 'protocol', 'code', 'count', 'cause'], ...told])
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

function print([head = [], ...body]: string[][]): void {
  const all = [head, head.map(() => '---'), ...body]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  for (const row of all) console.log(`| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
}
