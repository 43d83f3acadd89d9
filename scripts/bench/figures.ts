import { alignedTable, markdownTable } from '../markdown-table.ts'
import { median, percentile } from '../percentiles.ts'
import type { Load } from './load/load.ts'

/** Measures one thing; `sizes` replace the default ones. */
export type Bench = (sizes: readonly number[]) => Promise<Figure[]>

/**
 * One measured figure, with a value for each round and the baseline ("floor") that was measured alternately with it, if
 * any. Several ways of doing the same thing share a row. The unit decides which direction is better: more for units per
 * second, less for all others.
 */
export type Figure = Measured & { what: string; way?: string; unit: Unit; floor?: Floor }
/** A value for each round; `atLeast` where the load generator was at its limit, so that the value may be higher. */
type Measured = { rounds: readonly number[]; atLeast?: boolean }
type Unit = 'a second' | 'each' | 'ms' | 'KiB' | 'MiB' | 'µs of CPU'
type Floor = Measured & { name: string }

/** How long things took, in milliseconds, by round. */
type Times = readonly (readonly number[])[]
/** With fewer values than this there is no 99th percentile. */
const leastForP99 = 100

/**
 * Durations compared with their floor: the median of each round, and p99 of all rounds or, with few values, the longest
 * of each.
 */
export function timeFigures(what: string, times: Times, floor: { name: string; times: Times }): Figure[] {
  const figure = (name: string, roundsOf: (times: Times) => number[]): Figure => ({
    what: `${what}, ${name}`,
    unit: 'ms',
    rounds: roundsOf(times),
    floor: { name: floor.name, rounds: roundsOf(floor.times) },
  })
  const p50 = figure('p50', (each) => each.map(median))
  return Math.min(times.flat().length, floor.times.flat().length) < leastForP99
    ? [p50, figure('longest', (each) => each.map((round) => Math.max(...round)))]
    : [p50, figure('p99', (each) => [percentile(each.flat(), 0.99)])]
}

/**
 * The figures as Markdown tables, one for each floor with several ways, and one for all others. `short` omits the
 * ranges of the ratios.
 */
export function tablesOf(figures: readonly Figure[], detail: Detail): string {
  const byFloor = Map.groupBy(figures, ({ way, floor }) => (way === undefined ? '' : (floor?.name ?? '')))
  const table = detail === 'short' ? ([head = [], ...rows]: string[][]) => markdownTable(head, rows) : alignedTable
  return [...byFloor]
    .map(([floor, group]) => table(floor === '' ? listOf(group, detail) : waysOf(floor, group, detail)))
    .join('\n\n')
}

type Detail = 'whole' | 'short'

/** A row for each figure: medians, and the ratio of each round with its least and most. */
function listOf(figures: readonly Figure[], detail: Detail): string[][] {
  const rows = [['what', 'figure', 'floor', 'of the floor', 'least to most'], ...figures.map(cellsOf)]
  return detail === 'short' ? rows.map((row) => row.slice(0, -1)) : rows
}

function cellsOf(figure: Figure): string[] {
  const { what, way, unit, rounds, floor } = figure
  const cells = [way === undefined ? what : `${what}, ${way}`, `${middle(figure)} ${unit}`]
  if (floor === undefined) return [...cells, '', '', spreadOf(rounds)]
  const ratios = ratiosOf(rounds, floor)
  return [...cells, `${floor.name}: ${middle(floor)}`, shown(median(ratios)), spreadOf(ratios)]
}

/** A row for each thing and its unit, a column for each way; each figure has its ratio to the floor. */
function waysOf(floor: string, figures: readonly Figure[], detail: Detail): string[][] {
  const ways = [...new Set(figures.map(({ way }) => way ?? ''))]
  const rows = [...Map.groupBy(figures, ({ what, unit }) => `${what}, ${unit}`)].map(([name, group]) => {
    const cells = ways.map((one) =>
      comparedCell(
        detail,
        group.find(({ way }) => way === one),
      ),
    )
    return [name, middle(group[0]?.floor ?? { rounds: [] }), ...cells]
  })
  return [['', floor, ...ways], ...rows]
}

function comparedCell(detail: Detail, figure?: Figure): string {
  if (figure?.floor === undefined) return ''
  const ratios = ratiosOf(figure.rounds, figure.floor)
  const spread = detail === 'short' || ratios.length < 2 ? '' : ` (${spreadOf(ratios)})`
  return `${middle(figure)} = **${shown(median(ratios))}**${spread}`
}

function middle({ rounds, atLeast }: Measured): string {
  return `${atLeast === true ? '≥ ' : ''}${shown(median(rounds))}`
}

function ratiosOf(rounds: readonly number[], floor: Floor): number[] {
  return rounds.map((value, round) => value / (floor.rounds[round] ?? Number.NaN))
}

/** No range for a single measurement. */
function spreadOf(values: readonly number[]): string {
  if (values.length < 2) return ''
  return `${shown(Math.min(...values))} to ${shown(Math.max(...values))}`
}

/** No decimals from 100 on, one from 10 on, else two significant digits. */
function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toPrecision(2)
}

/** A load generator that was busy for more than this share of the time is at its own limit. */
const mostBusy = 0.9

/** Responses per second of each round. A lower bound where the load generator was at its limit in most rounds. */
export function perSecondOf(loads: readonly Load[]): Measured {
  const atItsEnd = loads.filter(({ busy }) => busy > mostBusy)
  return { rounds: loads.map(({ perSecond }) => perSecond), atLeast: atItsEnd.length * 2 > loads.length }
}
