import type { Check } from './check.ts'
import type { Options } from './options.ts'
import { columnOf } from './setup.ts'

export type Verdict = 'passed' | 'failed' | 'not judged'

/** A case and what came of it. `seconds` is how long it took, waiting for rates included. */
export type Result = { check: Check; verdict: Verdict; why: string; seconds: number }

/** The part of the rules that may stay without a judgement, besides those that were left out. */
const mostNotJudged = 1 / 10

export type Summary = {
  cases: number
  failed: number
  rules: number
  /** Rules of which no case was judged. */
  rulesNotJudged: number
  passes: boolean
}

/** What the results say together. A rule is one of one operation over one protocol. */
export function summaryOf(results: readonly Result[]): Summary {
  const ruleOf = ({ check }: Result) => `${check.id} ${columnOf(check.door)} ${check.rule}`
  const rules = new Set(results.filter(({ check }) => check.leftOut === undefined).map(ruleOf))
  const judged = new Set(results.filter(({ verdict }) => verdict !== 'not judged').map(ruleOf))
  const failed = results.filter(({ verdict }) => verdict === 'failed').length
  const rulesNotJudged = rules.size - judged.size
  return {
    cases: results.length,
    failed,
    rules: rules.size,
    rulesNotJudged,
    passes: failed === 0 && judged.size > 0 && rulesNotJudged <= rules.size * mostNotJudged,
  }
}

const columns = ['rest', 'trpc', 'grpc', 'rpc'] as const

/** A table by operation and protocol, the failures, and what was not judged and why. */
export function tableOf(results: readonly Result[]): string {
  const ids = [...new Set(results.map(({ check }) => check.id))]
  const width = Math.max(...ids.map((id) => id.length))
  const line = (name: string, cells: readonly string[]) =>
    [name.padEnd(width), ...cells.map((cell) => cell.padStart(12))].join(' ').trimEnd()
  const within = (column: string, id?: string) =>
    results.filter(({ check }) => columnOf(check.door) === column && (id === undefined || check.id === id))
  const seconds = columns.map(
    (column) =>
      `${within(column)
        .reduce((sum, one) => sum + one.seconds, 0)
        .toFixed(1)} s`,
  )
  return [
    line('operation', columns),
    ...ids.map((id) =>
      line(
        id,
        columns.map((column) => cellOf(within(column, id))),
      ),
    ),
    line(
      'all',
      columns.map((column) => cellOf(within(column))),
    ),
    line('', seconds),
    'Cases that passed; 11/12 where one of twelve failed, (3) not judged, - not served.',
    ...failuresIn(results),
    ...reasonsIn(results),
  ].join('\n')
}

/** `12` passed, `11/12` where one failed, `(3)` not judged. */
function cellOf(results: readonly Result[]): string {
  const count = (verdict: Verdict) => results.filter((one) => one.verdict === verdict).length
  const [passed, failed, not] = [count('passed'), count('failed'), count('not judged')]
  if (results.length === 0) return '-'
  const judged = failed === 0 ? `${passed}` : `${passed}/${passed + failed}`
  return not === 0 ? judged : `${judged} (${not})`
}

function failuresIn(results: readonly Result[]): string[] {
  const failed = results.filter(({ verdict }) => verdict === 'failed')
  return failed.map(({ check, why }) => `\nFAILED ${check.id} over ${check.door}: ${check.name}\n  ${why}`)
}

/** Reasons that differ in numbers alone are one. */
function reasonsIn(results: readonly Result[]): string[] {
  const reasons = Map.groupBy(
    results.filter(({ verdict }) => verdict === 'not judged'),
    ({ why }) => why.replace(/ Try again .*/, '').replace(/\d+/g, (digits) => (digits.length > 4 ? '…' : digits)),
  )
  return [...reasons].map(([why, those]) => {
    const ids = [...new Set(those.map(({ check }) => check.id))].join(', ')
    return `\nNot judged: ${those.length} cases of ${ids}: ${why}`
  })
}

/** The same as JUnit: a suite for each operation. */
export function junitOf(results: readonly Result[], { seed }: Options): string {
  const suites = [...Map.groupBy(results, ({ check }) => check.id)].map(([id, those]) => {
    const cases = those.map(({ check, verdict, why, seconds }) => {
      const inside =
        verdict === 'failed'
          ? `<failure message="${escaped(why)}"/>`
          : verdict === 'not judged'
            ? `<skipped message="${escaped(why)}"/>`
            : ''
      return `    <testcase classname="${escaped(`${id}.${check.door}`)}" name="${escaped(check.name)}" time="${seconds.toFixed(3)}">${inside}</testcase>`
    })
    const count = (verdict: Verdict) => those.filter((one) => one.verdict === verdict).length
    const counts = `tests="${those.length}" failures="${count('failed')}" skipped="${count('not judged')}"`
    return `  <testsuite name="${escaped(id)}" ${counts}>\n${cases.join('\n')}\n  </testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="contract, seed ${escaped(seed)}">\n${suites.join('\n')}\n</testsuites>\n`
}

/** Text of an XML attribute. Characters that XML does not have are left out. */
function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' }
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ufffd]/g, '')
    .replace(/[&<>"\n]/g, (character) => entities[character] ?? '')
}
