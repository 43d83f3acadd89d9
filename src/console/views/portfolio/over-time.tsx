import { useState } from 'preact/hooks'
import type { ProfitPoint, VolumePoint } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { saveCsv } from '../../gateway/csv.ts'
import { Chart } from '../../parts/chart.tsx'
import { Action, Select, useWork } from '../../parts/forms.tsx'
import { FailureNote, Shown, useLoaded } from '../../parts/loaded.tsx'
import { sum } from '../../values/decimal.ts'
import { usdText } from '../../values/words.ts'

type Bucket = 'hour' | 'day'

async function readSeries(bucket: Bucket) {
  const [profit, volume] = await Promise.all([
    gateway.metrics.profitSeries.query({ bucket }),
    gateway.metrics.volumeSeries.query({ bucket }),
  ])
  return { profit: profit.points, volume: volume.points }
}

/** Profit and volume of the last 30 hours or days. `turn` changes to read them again. */
export function OverTime({ turn }: { turn: number }) {
  const [bucket, setBucket] = useState<Bucket>('hour')
  const series = useLoaded(() => readSeries(bucket), [turn, bucket])
  const save = useWork(async () => {
    await saveCsv(`/api/v1/metrics/pnl/series?bucket=${bucket}`, `profit-by-${bucket}.csv`)
    await saveCsv(`/api/v1/metrics/volume/series?bucket=${bucket}`, `volume-by-${bucket}.csv`)
  })
  return (
    <section>
      <h2>Over time</h2>
      <div class="row">
        <Select
          label="Each point is"
          value={bucket}
          options={[
            ['hour', 'an hour (UTC)'],
            ['day', 'a day (UTC)'],
          ]}
          onChoice={setBucket}
        />
        <Action running={save.running} doing="Saving" onClick={save.run}>
          Save both as CSV
        </Action>
      </div>
      {save.failure !== null && <FailureNote failure={save.failure} />}
      <Shown of={series} what="profit and volume">
        {({ profit, volume }) => (
          <>
            <h3>Profit, in US dollars</h3>
            <Chart label="Profit over time" data={profitData(profit)} />
            <h3>Volume, in US dollars</h3>
            <Chart label="Volume over time" data={volumeData(volume)} />
          </>
        )}
      </Shown>
    </section>
  )
}

function profitData(points: readonly ProfitPoint[]) {
  const realised = points.map((point) => point.total_realized_pnl_usd_decimal)
  const together = points.map(({ total_realized_pnl_usd_decimal: total, unrealized_pnl_usd_decimal: open }) =>
    open === null ? null : sum([total, open]),
  )
  return {
    moments: points.map(({ start }) => start),
    text: usdText,
    series: [
      { name: 'Realised', values: realised, colour: '--accent' },
      { name: 'With open positions', values: together, colour: '--warn' },
    ],
  } as const
}

function volumeData(points: readonly VolumePoint[]) {
  const values = points.map(({ volume_usd_decimal: volume }) => volume)
  const series = [{ name: 'Volume', values, colour: '--accent', bars: true }] as const
  return { moments: points.map(({ start }) => start), text: usdText, series } as const
}
