import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { asText, createLog } from './log.ts'

function collected() {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return { lines, stream }
}

test('a line is JSON, and text on a terminal, both without secrets', () => {
  for (const [wrap, shape] of [
    [(stream: Writable) => stream, /^\{"level":30,.*"msg":"key \*\*\*"\}\n$/],
    [asText, /^\[\d\d:\d\d:\d\d\] .*INFO.*key \*\*\*.*7/],
  ] as const) {
    const { lines, stream } = collected()
    const log = createLog({ level: 'info', secrets: ['very-secret'], destination: wrap(stream) })
    log.info({ task: 7, token: 'hidden' }, 'key very-secret')
    expect(lines.join('')).toMatch(shape)
    expect(lines.join('')).not.toMatch(/very-secret|hidden/)
  }
})
