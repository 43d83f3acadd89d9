import { spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Change, goneTooEarly, mayFollow } from './change.ts'
import { section, withSection } from './changelog.ts'
import { documentChanges } from './document-changes.ts'
import { protoChanges, takeBaseline } from './proto-changes.ts'
import { type Documents, documentsIn } from './published.ts'

/**
 * What the contract says otherwise than its last release: printed as Markdown. With `--check` it fails where something
 * breaks and the major version is the same, and where something is gone before its announced end. `--release 2026-01-31`
 * writes the changes into the changelog and makes the present documents the ones that the next changes are told against.
 */
const root = join(import.meta.dirname, '../..')
const baseline = join(root, 'openapi/baseline')
const changelog = join(root, 'openapi/CHANGELOG.md')

const advice = `Undo it, and add the new beside the old; a rename is that too. Mark the old one as "Changing it
later" in README.md says: deprecated(…) of src/contract/deprecation.ts at a field, "deprecated" at an operation. Protobuf
numbers given since then stay reserved; "git checkout proto/field-numbers.lock.json" before "npm run generate" frees
those of what was never committed. What must break raises the major version in package.json.`

if (process.argv.includes('--release')) await release(process.argv.at(-1) ?? '')
else await report(process.argv.includes('--check'))

async function report(isCheck: boolean): Promise<void> {
  const before = await documentsIn(baseline)
  const after = await documentsIn(join(root, 'openapi'))
  const changes = await changesBetween(before, after)
  const [was, is] = [before.openapi.info.version, after.openapi.info.version]
  console.log(section(`${is}, since the release of ${was}`, changes))
  if (!isCheck) return
  if (tellOfEarlyEnds(changes, new Date().toISOString().slice(0, 10))) process.exitCode = 1
  if (mayFollow(was, is, changes)) return
  console.error(`\nThis breaks callers of ${was}. ${advice}`)
  process.exitCode = 1
}

async function release(date: string): Promise<void> {
  if (!isDay(date)) {
    console.error('Say the day of the release: npm run contract:release -- 2026-01-31')
    process.exitCode = 1
    return
  }
  console.log('Checking that what is published is what the contract says (npm run generate:check)')
  const { status } = spawnSync('npm', ['run', '--silent', 'generate:check'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('Nothing is released: npm run generate:check has failed')
  const before = await documentsIn(baseline).catch(() => null)
  const after = await documentsIn(join(root, 'openapi'))
  const title = `${after.openapi.info.version} (${date})`
  const changes = before === null ? [] : await changesBetween(before, after)
  if (tellOfEarlyEnds(changes, date)) throw new Error('Nothing is released: something is gone too early')
  const text = before === null ? `## ${title}\n\nThe first release.` : section(title, changes)
  await writeFile(changelog, withSection(await readFile(changelog, 'utf8').catch(() => ''), text))
  await mkdir(baseline, { recursive: true })
  for (const [name, document] of Object.entries(after))
    await writeFile(join(baseline, `${name}.json`), `${JSON.stringify(document)}\n`)
  await takeBaseline(root)
  console.log(`Released as ${title}: openapi/CHANGELOG.md, openapi/baseline and proto/baseline.binpb`)
}

/** Tells of what is gone though it may not be on that day; answers whether there is any. */
function tellOfEarlyEnds(changes: readonly Change[], day: string): boolean {
  const early = goneTooEarly(changes, day)
  for (const { subject, text, end } of early)
    console.error(
      `\`${subject}\`: ${text}, but ${end ? `was announced to stay until ${end.sunset}` : 'its end was not announced'}.`,
    )
  return early.length > 0
}

function isDay(text: string): boolean {
  const day = new Date(text)
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text
}

async function changesBetween(before: Documents, after: Documents): Promise<Change[]> {
  return [...(await protoChanges(root)), ...documentChanges(before, after)]
}
