import { wordsOfInspection } from '../../test/inspector.ts'
import { alignedTable } from '../markdown-table.ts'
import type { Windows } from './faults/windows.ts'
import type { Judgement } from './memory.ts'
import type { Outcomes } from './outcomes.ts'

type Findings = {
  outcomes: Outcomes
  windows: Windows
  log: LogFindings
  judgements: readonly Judgement[]
}

/** Prints the findings; returns how many of them are failures. */
export function report({ outcomes, windows, log: { warnings, bad }, judgements }: Findings): number {
  const faults = [...windows.counts()].toSorted().map(([fault, count]) => [fault, `${count}`])
  print('faults that were injected', ['fault', 'times'], faults)
  const errors = outcomes.rows().toSorted((a, b) => a.operation.localeCompare(b.operation))
  print(
    'errors',
    ['operation', 'protocol', 'code', 'count', 'cause'],
    errors.map(({ operation, protocol, code, count, cause }) => [
      operation,
      protocol,
      code,
      `${count}`,
      cause ?? 'NONE',
    ]),
  )
  print(
    'warnings of the log',
    ['warning', 'times'],
    [...warnings].map(([words, count]) => [words, `${count}`]),
  )
  const verdict = (holds: boolean | null) => (holds === null ? '' : holds ? 'holds' : 'DOES NOT HOLD')
  print(
    'memory and descriptors',
    ['what', 'found', 'bound', ''],
    judgements.map(({ what, found, bound, holds }) => [what, found, bound, verdict(holds)]),
  )
  for (const line of bad) console.log(`LOG ${line}`)
  const failures =
    outcomes.errors().unexpected +
    outcomes.breaches() +
    bad.length +
    judgements.filter(({ holds }) => holds === false).length
  console.log(`\n${outcomes.requests()} requests, ${outcomes.errors().expected} expected errors, ${failures} findings`)
  return failures
}

function print(title: string, head: string[], rows: string[][]): void {
  console.log(`\n${title}\n${alignedTable([head, ...rows])}`)
}

/** Warnings by their message, and lines that a healthy gateway never logs. */
type LogFindings = { warnings: Map<string, number>; bad: string[] }

const error = 50

/** Reads a gateway's standard error, which must be JSON log lines only. */
export function readLog(text: string): LogFindings {
  const findings: LogFindings = { warnings: new Map(), bad: [] }
  for (const line of text.split('\n')) {
    if (line === '' || wordsOfInspection.test(line)) continue
    const entry = entryOf(line)
    if (entry === null || entry.level >= error || /unhandled/i.test(line)) findings.bad.push(line.slice(0, 500))
    else {
      const said = [entry.msg, entry.event, entry.reason].filter((part) => part !== undefined).join(': ')
      findings.warnings.set(said, (findings.warnings.get(said) ?? 0) + 1)
    }
  }
  return findings
}

function entryOf(line: string): { level: number; msg?: string; event?: string; reason?: string } | null {
  try {
    const entry = JSON.parse(line)
    return typeof entry?.level === 'number' ? entry : null
  } catch {
    return null
  }
}
