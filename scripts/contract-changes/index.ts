import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { documentChanges } from './document-changes.ts'
import { protoChanges, takeBaseline } from './proto-changes.ts'
import { type Documents, documentsIn } from './published.ts'
import { faultsOf, notesOf, type Release, section, withSection } from './release.ts'

/**
 * Prints how the contract differs from its last release, as Markdown. With `--check` it fails where the changes may not
 * be released today. `--release` writes the changes into the changelog under the present day and makes the present
 * documents the baseline of the next changes.
 */
const root = join(import.meta.dirname, '../..')
const baseline = join(root, 'openapi/baseline')
const changelog = join(root, 'openapi/CHANGELOG.md')
const day = new Date().toISOString().slice(0, 10)

const advice = `Undo what breaks callers: keep the old operation or field, add the new one, and deprecate the old one; a rename is
both. scripts/contract-changes/README.md says how. Protobuf numbers given since the last release stay reserved; "git checkout
proto/field-numbers.lock.json" before "npm run generate" frees those that were never committed. A change that must break
callers raises the major version in package.json, before 1.0.0 the minor one.`

const tasks: Record<string, () => Promise<unknown>> = { '': report, '--check': check, '--release': release }
const task = tasks[process.argv.slice(2).join(' ')]
if (task === undefined) {
  console.error('Usage: npm run contract:changes, or npm run contract:release on the day of the release')
  process.exitCode = 1
} else await task()

async function read(): Promise<string> {
  return await readFile(changelog, 'utf8').catch(() => '')
}

async function report(): Promise<Release> {
  const present = await releaseOf(await documentsIn(baseline), await documentsIn(join(root, 'openapi')))
  console.log(section(`${present.is}, since the release of ${present.was}`, present.changes, notesOf(await read())))
  return present
}

async function check(): Promise<void> {
  const present = await report()
  const isAsReleased = present.is === present.was && present.changes.length === 0
  if (!isAsReleased && !mayBe(present)) process.exitCode = 1
}

async function release(): Promise<void> {
  const before = existsSync(baseline) ? await documentsIn(baseline) : null
  const after = await documentsIn(join(root, 'openapi'))
  const next = before && (await releaseOf(before, after))
  if (next !== null && !mayBe(next)) throw new Error('Nothing is released')
  console.log('Checking that the published files match the contract (npm run generate:check)')
  const { status } = spawnSync('npm', ['run', '--silent', 'generate:check'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('Nothing is released: npm run generate:check has failed')
  const title = `${after.openapi.info.version} (${day})`
  const text = next === null ? `## ${title}\n\nThe first release.` : section(title, next.changes, notesOf(await read()))
  await writeFile(changelog, withSection(await read(), text))
  await mkdir(baseline, { recursive: true })
  for (const [name, document] of Object.entries(after))
    await writeFile(join(baseline, `${name}.json`), `${JSON.stringify(document)}\n`)
  await takeBaseline(root)
  console.log(`Released as ${title}: openapi/CHANGELOG.md, openapi/baseline and proto/baseline.binpb`)
}

async function releaseOf(before: Documents, after: Documents): Promise<Release> {
  const changes = [...(await protoChanges(root)), ...documentChanges(before, after)]
  return { was: before.openapi.info.version, is: after.openapi.info.version, day, changes }
}

/** Returns whether the release is allowed. Prints the reasons and the next steps where it is not. */
function mayBe(next: Release): boolean {
  const faults = faultsOf(next)
  for (const fault of faults) console.error(`\n${fault}`)
  if (faults.length > 0 && next.changes.some(({ level }) => level === 'breaking')) console.error(`\n${advice}`)
  return faults.length === 0
}
