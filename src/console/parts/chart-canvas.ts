import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

/** A line or a row of bars over the moments of a chart. */
export type Series = {
  name: string
  /** The values as exact text, one for each moment; null where there is none. */
  values: readonly (string | null)[]
  /** The custom property of its colour. */
  colour: '--accent' | '--gain' | '--warn'
  bars?: true
}

/** What a chart shows. */
export type ChartData = { moments: readonly string[]; series: readonly Series[]; text: (value: string) => string }

const height = 240

/**
 * Draws a chart into an element, as wide as it is, again when the width or the colour scheme changes. Times are in UTC.
 * Only the places of points are numbers; what is read is the exact text. Returns what ends it.
 */
export function drawChart(place: HTMLElement, data: ChartData): () => void {
  let plot: UPlot | null = null
  const draw = () => {
    plot?.destroy()
    plot = new UPlot(optionsOf(place, data), numbersOf(data), place)
  }
  draw()
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  scheme.addEventListener('change', draw)
  const resized = new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height }))
  resized.observe(place)
  return () => {
    scheme.removeEventListener('change', draw)
    resized.disconnect()
    plot?.destroy()
  }
}

function numbersOf({ moments, series }: ChartData): UPlot.AlignedData {
  const times = moments.map((moment) => Date.parse(moment) / 1_000)
  return [times, ...series.map(({ values }) => values.map((value) => (value === null ? null : Number(value))))]
}

function optionsOf(place: HTMLElement, { moments, series, text }: ChartData): UPlot.Options {
  // A canvas knows no custom properties.
  const colour = (property: string) => colourOf(place, property)
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line') },
  }
  return {
    width: place.clientWidth,
    height,
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: { y: { range: (_plot, low, high) => rangeOf(low, high) } },
    axes: [
      { ...axis, values: (_plot, ticks) => ticks.map(timeText) },
      { ...axis, size: 100, values: (_plot, ticks) => ticks.map((tick) => text(plainNumber(tick))) },
    ],
    series: [
      {
        label: 'Time (UTC)',
        value: (_plot, _raw, _series, index) =>
          index === null ? '' : (moments[index ?? -1] ?? '').slice(0, 16).replace('T', ' '),
      },
      ...series.map(({ name, values, colour: property, bars }) => ({
        label: name,
        stroke: colour(property),
        width: 2,
        ...(bars === true && UPlot.paths.bars !== undefined
          ? { fill: colour(property), paths: UPlot.paths.bars({ size: [0.7, 40] }) }
          : {}),
        value: (_plot: UPlot, _raw: number, _series: number, index: number | null) => shown(values[index ?? -1], text),
      })),
    ],
  }
}

function shown(value: string | null | undefined, text: (value: string) => string): string {
  return value == null ? '' : text(value)
}

/** A little more than the values, and never nothing. */
function rangeOf(low: number | null, high: number | null): [number, number] {
  const [least, most] = [Math.min(low ?? 0, 0), Math.max(high ?? 0, 0)]
  const air = (most - least || 1) * 0.1
  return [least === 0 ? 0 : least - air, most === 0 ? 0 : most + air]
}

/** The hour of a moment, or the day at its first hour. */
function timeText(seconds: number): string {
  const [day = '', time = ''] = new Date(seconds * 1_000).toISOString().split('T')
  return time.startsWith('00:00') ? day.slice(5) : time.slice(0, 5)
}

/** A tick of an axis as plain digits. */
function plainNumber(tick: number): string {
  return tick.toFixed(6).replace(/\.?0+$/, '')
}

function colourOf(place: HTMLElement, property: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${property})`
  place.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
