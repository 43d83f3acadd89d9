import { type Case, cases, secondsOf, sentOnce, streamCases } from '../test/providers/fault-cases.ts'

/** What callers see of the faults of providers, in Markdown, from the very cases that the tests run. */
export function faultsTable(): string {
  const asked = cases.map((one) => {
    const once = sentOnce(one)
    return [
      ...[one.name, seen(one.code), after(one, one.attempts), `${one.attempts - 1}`],
      ...(once.code === one.code && once.attempts === one.attempts ? ['the same'] : [seen(once.code)]),
    ]
  })
  const streamed = streamCases.map(({ name, noticedMs }) => [
    ...[
      name,
      '`interrupted`, then all that was missed, then `resumed`',
      noticedMs === 0 ? 'at once' : `${noticedMs / 1_000} s`,
    ],
    /Retry-After/.test(name) ? 'after that time' : 'after a pause that grows to 15 s',
  ])
  return [
    ...markdown(
      [
        'a provider that is asked',
        'the caller sees',
        'after at most',
        'asked again',
        'the start of an analytics query',
      ],
      asked,
    ),
    '',
    ...markdown(['the stream of the exchange', 'its readers see', 'noticed after', 'connected again'], streamed),
  ].join('\n')
}

function seen(code: Case['code']): string {
  return code === null ? 'the answer' : `\`${code}\``
}

function after(one: Case, attempts: number): string {
  const seconds = secondsOf(one, attempts)
  if (seconds > 0) return `${seconds} s`
  return attempts > 1 ? 'pauses of at most 0.4 s' : 'at once'
}

function markdown(head: string[], rows: string[][]): string[] {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
}
