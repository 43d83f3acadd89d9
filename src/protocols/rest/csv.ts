import { z } from 'zod'
import type { Operation } from '../../contract/shared/operation.ts'

/** The header that has the cursor of the next page, which CSV has no place for. */
export const nextCursorHeader = 'x-next-cursor'

/** Whether a caller prefers CSV to JSON, by its header `Accept`. */
export function prefersCsv(accept: string | undefined): boolean {
  const weights = new Map(
    (accept ?? '').split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return [type, weight === undefined ? 1 : Number(weight)] as const
    }),
  )
  const csv = weights.get('text/csv') ?? 0
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0
  return csv > 0 && csv >= json
}

/**
 * The list of an operation's output as CSV by RFC 4180, with the fields of its items as columns. Text that a spreadsheet
 * would run as a formula gets an apostrophe before it; numbers stay as they are.
 */
export function csvOf({ output, table = '' }: Operation, value: unknown): string {
  const rows = (value as Record<string, Record<string, unknown>[]>)[table] ?? []
  const columns = columnsOf(output, table)
  const lines = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))]
  return lines.map((line) => `${line.join(',')}\r\n`).join('')
}

function columnsOf(output: z.ZodType, table: string): string[] {
  const list = output instanceof z.ZodObject ? output.shape[table] : undefined
  if (!(list instanceof z.ZodArray) || !(list.element instanceof z.ZodObject))
    throw new Error(`The output has no list of objects in ${table}.`)
  return Object.keys(list.element.shape)
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)
  const safe = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
