import { readFileSync, writeFileSync } from 'node:fs'
import { type RateRule, rateRules } from '../src/contract/shared/limits.ts'
import { settingsTable } from '../src/settings/config.ts'
import { faultsTable } from './faults-table.ts'
import { filled, readme } from './readme-parts.ts'

/** Writes the parts of README.md that follow from the code between their markers; with `--check` it only compares. */
const before = readFileSync(readme, 'utf8')
const parts = {
  settings: settingsTable(),
  rates: ratesTable(),
  faults: faultsTable(),
}
const after = Object.entries(parts).reduce((text, [name, content]) => filled(text, name, content), before)

if (before === after) process.exit(0)
if (process.argv.includes('--check')) {
  console.error('README.md is stale; run "npm run generate".')
  process.exit(1)
}
writeFileSync(readme, after)

function ratesTable(): string {
  const counters = { account: 'account', address: 'client address', key: 'API key' }
  const row = ([name, { limit, windowSeconds, per, burst }]: [string, RateRule]) =>
    `| \`${name}\` | ${limit} in ${windowSeconds} s | ${burst ?? ''} | ${counters[per]} |`
  return [
    '| class | requests | at once | counted by |',
    '|---|---|---|---|',
    ...Object.entries(rateRules).map(row),
  ].join('\n')
}
