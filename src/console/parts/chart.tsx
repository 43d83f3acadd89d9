import { useEffect, useRef, useState } from 'preact/hooks'
import { momentText } from '../values/words.ts'
import type { ChartData } from './chart-canvas.ts'
import { Table } from './table.tsx'

/** A chart over time, and the same values as a table. The code that draws is loaded with the first chart. */
export function Chart({ label, data }: { label: string; data: ChartData }) {
  const place = useRef<HTMLDivElement>(null)
  const [isMissing, setMissing] = useState(false)
  const text = JSON.stringify([data.moments, data.series])
  useEffect(() => {
    let end: (() => void) | null = null
    let isGone = false
    import('./chart-canvas.ts').then(
      ({ drawChart }) => {
        if (!isGone && place.current !== null) end = drawChart(place.current, data)
      },
      // The gateway was upgraded since the page was loaded, or does not answer.
      () => setMissing(true),
    )
    return () => {
      isGone = true
      end?.()
    }
  }, [text])
  return (
    <figure>
      <div class="chart" role="img" aria-label={`${label}; its values are in the table below`} ref={place} />
      {isMissing && <p class="note bad">The chart cannot be loaded. Reload the page.</p>}
      <details>
        <summary>{label} as a table</summary>
        <Table label={label} columns={['From', ...data.series.map(({ name }) => ({ number: name }))]}>
          {data.moments.map((moment, index) => (
            <tr key={moment}>
              <td class="line">{momentText(moment)}</td>
              {data.series.map(({ name, values }) => (
                <td key={name} class="number">
                  {values[index] == null ? 'none' : data.text(values[index])}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      </details>
    </figure>
  )
}
