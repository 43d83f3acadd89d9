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

test('text on a terminal shows control characters as escapes, and the lines of a stack as lines', () => {
  const { lines, stream } = collected()
  const log = createLog({ level: 'info', secrets: [], destination: asText(stream) })
  const foreign = 'a\n[12:00:00] INFO: forged\u001b[2J\u009b1m\r \\n'
  log.info(foreign)
  log.error(Object.assign(new Error('x'), { stack: `Error: ${foreign}\n    at place (file.ts:1:1)` }))
  const text = lines.join('')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be shown
  expect(text.replaceAll(/\u001b\[\d+m/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  expect(text).not.toMatch(/^\[12:00:00\]/m)
  expect(text).toContain('a\\n[12:00:00] INFO: forged\\u001b[2J\\u009b1m\\r \\n')
  expect(text).toMatch(/^ +at place/m)
})
