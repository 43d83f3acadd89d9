/**
 * One figure of a run, a value for each round, with the floor that was measured in turns with it; what has no floor
 * stands for itself. What is done in several `way`s is one row. The unit tells which way is better: of what is counted
 * a second more, of all else less.
 */
export type Figure = { what: string; way?: string; unit: Unit; rounds: readonly number[]; floor?: Floor }
export type Unit = 'a second' | 'ms' | 's' | 'KB' | 'MB' | '%' | 'µs of CPU' | 'files'
export type Floor = { name: string; rounds: readonly number[] }

/** The figures as tables in Markdown, one for each floor that several ways are held against, and one for all others. */
export function tablesOf(figures: readonly Figure[]): string {
  const byFloor = Map.groupBy(figures, ({ way, floor }) => (way === undefined ? '' : (floor?.name ?? '')))
  const tables = [...byFloor].map(([floor, group]) => (floor === '' ? listOf(group) : waysOf(floor, group)))
  return tables.map(drawn).join('\n\n')
}

/** A row for each figure: medians, and the ratio of each round with its least and most. */
function listOf(figures: readonly Figure[]): string[][] {
  return [['what', 'figure', 'floor', 'of the floor', 'least to most'], ...figures.map(cellsOf)]
}

function cellsOf({ what, way, unit, rounds, floor }: Figure): string[] {
  const cells = [way === undefined ? what : `${what}, ${way}`, `${shown(median(rounds))} ${unit}`]
  if (floor === undefined) return [...cells, '', '', spreadOf(rounds)]
  const ratios = ratiosOf(rounds, floor)
  return [...cells, `${floor.name}: ${shown(median(floor.rounds))}`, shown(median(ratios)), spreadOf(ratios)]
}

/** A row for what is done and its unit, a column for each way; beside its figure stands what of the floor it is. */
function waysOf(floor: string, figures: readonly Figure[]): string[][] {
  const ways = [...new Set(figures.map(({ way }) => way ?? ''))]
  const rows = [...Map.groupBy(figures, ({ what, unit }) => `${what}, ${unit}`)].map(([name, group]) => [
    name,
    shown(median(group[0]?.floor?.rounds ?? [])),
    ...ways.map((way) => comparedCell(group.find((figure) => figure.way === way))),
  ])
  return [['', floor, ...ways], ...rows]
}

function comparedCell(figure: Figure | undefined): string {
  if (figure?.floor === undefined) return ''
  const ratios = ratiosOf(figure.rounds, figure.floor)
  return `${shown(median(figure.rounds))} = **${shown(median(ratios))}** (${spreadOf(ratios)})`
}

function ratiosOf(rounds: readonly number[], floor: Floor): number[] {
  return rounds.map((value, round) => value / (floor.rounds[round] ?? Number.NaN))
}

function spreadOf(values: readonly number[]): string {
  return `${shown(Math.min(...values))} to ${shown(Math.max(...values))}`
}

function drawn(rows: readonly string[][]): string {
  const [head = [], ...body] = rows
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)))
  const lines = [head, widths.map((width) => '-'.repeat(width)), ...body]
  return lines.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`).join('\n')
}

/** Three digits that count. */
function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toPrecision(2)
}

export function median(values: readonly number[]): number {
  return at(values, 0.5)
}

/** The value below which so great a part of them lies. */
export function at(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
