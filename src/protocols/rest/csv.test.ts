import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from '../../contract/index.ts'
import type { Operation } from '../../contract/shared/operation.ts'
import { csvOf, prefersCsv } from './csv.ts'

const output = z.object({ items: z.array(z.object({ name: z.string(), worth: z.number().nullable() })) })
const csv = (items: unknown[]) => csvOf({ output, table: 'items' } as unknown as Operation, { items })

describe('CSV', () => {
  test('has a line of names, a line for each item, and nothing for what is absent', () => {
    expect(csv([])).toBe('name,worth\r\n')
    expect(csv([{ name: 'a', worth: -1.5 }, { worth: null }, { name: '' }])).toBe('name,worth\r\na,-1.5\r\n,\r\n,\r\n')
  })

  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-cmd', "'-cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['-12.5', '-12.5'],
    ['-1e-7', '-1e-7'],
    ['12.5', '12.5'],
    ['--1', "'--1"],
    ['-', "'-"],
    ['a,"b"\n', '"a,""b""\n"'],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
  ])('%j is written as %j', (text, written) => {
    expect(csv([{ name: text, worth: null }])).toBe(`name,worth\r\n${written},\r\n`)
  })

  test('is read back as it was by a reader of RFC 4180, apart from the apostrophe', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (names) => {
        const rows = parsed(csv(names.map((name) => ({ name, worth: 0 }))))
        expect(rows).toHaveLength(names.length + 1)
        for (const [index, name] of names.entries()) expect([name, `'${name}`]).toContain(rows[index + 1]![0])
        for (const [first] of rows) expect(first).not.toMatch(/^[=+@\t\r]/)
      }),
    )
  })

  test('every operation with a table has a list of objects there', () => {
    const tables = operations().filter(([, { table }]) => table !== undefined)
    expect(tables.length).toBeGreaterThan(0)
    for (const [, operation] of tables) {
      const [names, ...rows] = parsed(csvOf(operation, operation.output.parse(operation.example.output)))
      expect(new Set(names).size).toBe(names!.length)
      for (const row of rows) expect(row).toHaveLength(names!.length)
    }
  })
})

test.each([
  [undefined, false],
  ['*/*', false],
  ['application/json', false],
  ['text/csv', true],
  ['Text/CSV; charset=utf-8', true],
  ['application/json, text/csv', true],
  ['application/json;q=0.5, text/csv;q=0.4', false],
  ['text/csv, */*', true],
  ['text/csv;q=0.1, */*', false],
  ['text/csv;q=0', false],
  ['text/csv;q=none', false],
])('Accept %j prefers CSV: %j', (accept, expected) => {
  expect(prefersCsv(accept)).toBe(expected)
})

/** A reader of RFC 4180. */
function parsed(text: string): string[][] {
  const rows: string[][] = []
  let rest = text
  let row: string[] = []
  while (rest !== '') {
    const quoted = /^"((?:[^"]|"")*)"(,|\r\n)/.exec(rest)
    const [whole, value = '', end] = quoted ?? /^([^,\r\n"]*)(,|\r\n)/.exec(rest) ?? []
    if (whole === undefined) throw new Error(`unreadable: ${JSON.stringify(rest)}`)
    row.push(quoted === null ? value : value.replaceAll('""', '"'))
    rest = rest.slice(whole.length)
    if (end === '\r\n') {
      rows.push(row)
      row = []
    }
  }
  return rows
}
