import type { Load } from './load.ts'

type Way = { name: string; comparedWith: string | null }

/** Collects loads by call and way, one a round, and shows them as a table in Markdown, in the order of the ways. */
export function createResults(ways: readonly Way[]) {
  /** Loads by call, then by the name of the way. */
  const byCall = new Map<string, Map<string, Load[]>>()

  function rowOf(call: string, { name, comparedWith }: Way, loadsOf: ReadonlyMap<string, Load[]>): string {
    const loads = loadsOf.get(name) ?? []
    const base = comparedWith === null ? undefined : loadsOf.get(comparedWith)
    const latencies = loads.flatMap((load) => load.latencies).toSorted((a, b) => a - b)
    const ratios = loads.map(({ perSecond }, round) => perSecond / (base?.[round]?.perSecond ?? Number.NaN))
    return cells([
      call,
      name,
      median(loads.map(({ perSecond }) => perSecond)).toFixed(0),
      at(latencies, 0.5).toFixed(2),
      at(latencies, 0.99).toFixed(2),
      base === undefined ? '' : median(ratios).toFixed(2),
    ])
  }

  return {
    add(call: string, { name }: Way, load: Load): void {
      const loadsOf = byCall.get(call) ?? new Map<string, Load[]>()
      loadsOf.set(name, [...(loadsOf.get(name) ?? []), load])
      byCall.set(call, loadsOf)
    },
    table(): string {
      const head = ['call', 'by', 'answers/s', 'p50 ms', 'p99 ms', 'of the engine']
      const rows = [...byCall].flatMap(([call, loadsOf]) => ways.map((way) => rowOf(call, way, loadsOf)))
      return [cells(head), cells(head.map(() => '---')), ...rows].join('\n')
    },
  }
}

const widths = [30, 28, 9, 7, 7, 13]

function cells(texts: string[]): string {
  const padded = texts.map((text, index) =>
    index < 2 ? text.padEnd(widths[index] ?? 0) : text.padStart(widths[index] ?? 0),
  )
  return `| ${padded.join(' | ')} |`
}

function median(values: number[]): number {
  return at(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}

/** The value below which so great a part of them lies. */
export function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
