/** Counters and histograms with few labels, served as Prometheus text. */
export type Metrics = {
  count(name: string, labels: Record<string, string>): void
  time(name: string, labels: Record<string, string>, seconds: number): void
  text(): string
}

const buckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30]

export function createMetrics(): Metrics {
  const counters = new Map<string, number>()
  const histograms = new Map<string, { counts: number[]; sum: number; count: number }>()

  return {
    count(name, labels) {
      const key = series(name, labels)
      counters.set(key, (counters.get(key) ?? 0) + 1)
    },
    time(name, labels, seconds) {
      const key = series(name, labels)
      const row = histograms.get(key) ?? { counts: buckets.map(() => 0), sum: 0, count: 0 }
      buckets.forEach((bound, index) => {
        if (seconds <= bound) row.counts[index] = (row.counts[index] ?? 0) + 1
      })
      row.sum += seconds
      row.count += 1
      histograms.set(key, row)
    },
    text() {
      const lines = [...counters].map(([key, value]) => `${key} ${value}`)
      for (const [key, row] of histograms) lines.push(...histogramLines(key, row))
      return `${lines.join('\n')}\n`
    },
  }
}

function series(name: string, labels: Record<string, string>): string {
  const inner = Object.entries(labels).map(([label, value]) => `${label}="${value.replace(/["\\\n]/g, '_')}"`)
  return `${name}{${inner.join(',')}}`
}

function histogramLines(key: string, row: { counts: number[]; sum: number; count: number }): string[] {
  const open = key.indexOf('{')
  const name = key.slice(0, open)
  const labels = key.slice(open + 1, -1)
  const lines = buckets.map((bound, index) => `${name}_bucket{${labels},le="${bound}"} ${row.counts[index] ?? 0}`)
  return [
    ...lines,
    `${name}_bucket{${labels},le="+Inf"} ${row.count}`,
    `${name}_sum{${labels}} ${row.sum}`,
    `${name}_count{${labels}} ${row.count}`,
  ]
}
