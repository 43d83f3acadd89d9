import { readFileSync, writeFileSync } from 'node:fs'
import { settingsTable } from '../src/config.ts'
import { unimplementedOperations } from '../src/domain/index.ts'

/** Writes the parts of README.md that follow from the code between their markers; with `--check` it only compares. */
const file = new URL('../README.md', import.meta.url)
const before = readFileSync(file, 'utf8')
const after = fill(fill(before, 'settings', settingsTable()), 'unimplemented', unimplementedList())

if (before === after) process.exit(0)
if (process.argv.includes('--check')) {
  console.error('README.md is stale; run "npm run generate".')
  process.exit(1)
}
writeFileSync(file, after)

function fill(text: string, name: string, content: string): string {
  const open = `<!-- ${name} -->`
  const close = `<!-- /${name} -->`
  const start = text.indexOf(open)
  const end = text.indexOf(close)
  if (start < 0 || end < start) throw new Error(`README.md has no place for ${name}`)
  return `${text.slice(0, start + open.length)}\n${content}\n${text.slice(end)}`
}

function unimplementedList(): string {
  const groups = Map.groupBy(unimplementedOperations(), (id) => id.split('.')[0] ?? '')
  return [...groups].map(([, ids]) => `- ${ids.map((id) => `\`${id}\``).join(', ')}`).join('\n')
}
