import { type Case, cases, secondsOf, sentOnce, streamCases } from '../test/providers/fault-cases.ts'
import { markdownTable } from './markdown-table.ts'

/** What callers see of the faults of providers, in Markdown, from the cases that the tests run. */
export function faultsTable(): string {
  const requests = cases.map((one) => {
    const once = sentOnce(one)
    const same = once.code === one.code && once.attempts === one.attempts
    return [
      one.name,
      result(one.code),
      delay(one, one.attempts),
      String(one.attempts - 1),
      same ? 'the same' : result(once.code),
    ]
  })
  const streams = streamCases.map(({ name, noticedMs }) => [
    name,
    noticedMs === 0 ? 'at once' : `${noticedMs / 1_000} s`,
    /Retry-After/.test(name) ? 'after that time' : 'after a pause that grows to 15 s',
  ])
  return [
    markdownTable(
      ['the provider', 'the caller gets', 'after at most', 'retries', 'starting an analytics query instead'],
      requests,
    ),
    '',
    markdownTable(['the stream of the exchange', 'noticed after', 'reconnects'], streams),
  ].join('\n')
}

function result(code: Case['code']): string {
  return code === null ? 'the result' : `\`${code}\``
}

function delay(one: Case, attempts: number): string {
  const seconds = secondsOf(one, attempts)
  if (seconds > 0) return `${seconds} s`
  return attempts > 1 ? 'pauses of at most 0.4 s' : 'at once'
}
