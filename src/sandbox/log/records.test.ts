import { expect, test } from 'vitest'
import { recordsIn } from '../fixtures/records.ts'

const first = '{"type":"log","version":1,"after":0,"hash":"0xaa"}\n'
const second = '{"type":"seal","number":1,"timestamp":12,"deposits":[]}\n'

test('reads whole lines', () => {
  const { records, complete } = recordsIn(first + second, 'log')
  expect(records.map((record) => record.type)).toEqual(['log', 'seal'])
  expect(complete).toBe(first.length + second.length)
})

test('stops before an incomplete last line, wherever it ends', () => {
  for (let cut = 1; cut < second.length; cut += 1) {
    const { records, complete } = recordsIn(first + second.slice(0, cut), 'log')
    expect(records).toHaveLength(1)
    expect(complete).toBe(first.length)
  }
  expect(recordsIn(`${first}\0\0\0\n`, 'log').complete).toBe(first.length)
})

test('throws for damage that no crash can cause', () => {
  expect(() => recordsIn(`${first.slice(3)}${second}`, 'blocks-0.jsonl')).toThrow('blocks-0.jsonl is damaged at byte 0')
})
