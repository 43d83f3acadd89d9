/**
 * One figure of a run, a value for each round, with the floor that was measured in turns with it; what has no floor
 * stands for itself. The unit tells which way is better: of what is counted a second more, of all else less.
 */
export type Figure = { what: string; unit: Unit; rounds: readonly number[]; floor?: Floor }
export type Unit = 'a second' | 'ms' | 's' | 'KB' | 'MB' | '%'
export type Floor = { name: string; rounds: readonly number[] }

/** The figures as a table in Markdown: medians, and the ratio of each round with its least and most. */
export function tableOf(figures: readonly Figure[]): string {
  const head = ['what', 'figure', 'floor', 'of the floor', 'least to most']
  const rows = [head, head.map(() => '---'), ...figures.map(cellsOf)]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`).join('\n')
}

function cellsOf({ what, unit, rounds, floor }: Figure): string[] {
  const figure = `${shown(median(rounds))} ${unit}`
  if (floor === undefined)
    return [what, figure, '', '', `${shown(Math.min(...rounds))} to ${shown(Math.max(...rounds))}`]
  const ratios = rounds.map((value, round) => value / (floor.rounds[round] ?? Number.NaN))
  return [
    what,
    figure,
    `${floor.name}: ${shown(median(floor.rounds))}`,
    shown(median(ratios)),
    `${shown(Math.min(...ratios))} to ${shown(Math.max(...ratios))}`,
  ]
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
