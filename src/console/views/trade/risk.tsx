import type { RiskReport } from '../../../../generated/client/index.d.ts'
import { plainWord } from '../../values/words.ts'

const checks = {
  rug: 'Is the token safe to hold',
  whale_flow: 'Large holders and trades',
  price_sanity: 'Price against the feeds',
}
const results = { pass: 'passed', warn: 'warning', fail: 'failed', unknown: 'could not be checked' }
const tones = { pass: 'gain', warn: 'warn', fail: 'loss', unknown: 'warn' }
const levels = { low: 'gain', medium: 'warn', high: 'loss', unknown: 'warn' }

/** A report of the risk checks with the reasons of each. */
export function Risk({ report, label = 'Risk' }: { report: RiskReport; label?: string }) {
  return (
    <section aria-label={label}>
      <p>
        Risk: <b class={levels[report.level]}>{report.level}</b>
        {report.aggregate_score !== undefined && `, ${report.aggregate_score} of 100`}
      </p>
      <ul class="plain">
        {report.checks.map(({ name, result }) => (
          <li key={name}>
            {checks[name]}: <b class={tones[result]}>{results[result]}</b>
          </li>
        ))}
      </ul>
      {report.reasons !== undefined && report.reasons.length > 0 && (
        <ul>
          {report.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {report.flags.length > 0 && <p class="quiet">Found: {report.flags.map(plainWord).join(', ')}</p>}
    </section>
  )
}
