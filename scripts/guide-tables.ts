import { readFileSync, writeFileSync } from 'node:fs'
import { status } from '@grpc/grpc-js'
import { errorTable } from '../src/contract/shared/errors.ts'
import { type RateRule, rateRules } from '../src/contract/shared/limits.ts'
import { guideFiles } from '../src/protocols/pages/guides/guides.ts'
import { settingsTable } from '../src/settings/config.ts'
import { faultsTable } from './faults-table.ts'
import { withPart } from './guide-parts.ts'
import { markdownTable } from './markdown-table.ts'

/** Writes the tables of the guides that follow from the code. With `--check` it only compares, and ends with 1 where one is stale. */
const parts = [
  { guide: 'settings', name: 'settings', content: settingsTable() },
  { guide: 'rules', name: 'errors', content: errorsTable() },
  { guide: 'protocols', name: 'rates', content: ratesTable() },
  { guide: 'research', name: 'faults', content: faultsTable() },
] as const

for (const { guide, name, content } of parts) {
  const file = new URL(`../${guideFiles[guide]}`, import.meta.url)
  const before = readFileSync(file, 'utf8')
  const after = withPart(before, name, content)
  if (before === after) continue
  if (process.argv.includes('--check')) {
    console.error(`${guideFiles[guide]} is stale; run "npm run generate".`)
    process.exitCode = 1
  } else {
    writeFileSync(file, after)
  }
}

function ratesTable(): string {
  const counters = { account: 'account', address: 'client address', key: 'API key', operator: 'operator token' }
  const rows = Object.entries<RateRule>(rateRules).map(([name, rule]) => [
    `\`${name}\``,
    `${rule.limit} ${rule.counts ?? 'requests'} in ${rule.windowSeconds} s`,
    String(rule.burst ?? ''),
    counters[rule.per],
  ])
  return markdownTable(['class', 'rate', 'burst', 'counted by'], rows)
}

function errorsTable(): string {
  const rows = Object.entries(errorTable).map(([code, error]) => [
    `\`${code}\``,
    String(error.http),
    `${error.title}. ${error.remedy}`,
    `\`${status[error.grpc]}\``,
    String(error.jsonRpc),
  ])
  return markdownTable(['code', 'REST', 'what it means, and what to do', 'gRPC', 'JSON-RPC'], rows)
}
