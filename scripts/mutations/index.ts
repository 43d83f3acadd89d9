import { cp, mkdir, mkdtempDisposable, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeBaseline } from '../contract-changes/proto-changes.ts'
import { documentsIn } from '../contract-changes/published.ts'
import { failContractTests, failsTypes, publish, regenerate, type Verdict } from './gates.ts'
import { chosen, type Mutation, mutationsOf } from './mutation.ts'

/**
 * Changes one thing of the contract at a time in copies of the project, generates everything from it, and checks which
 * gate detects the change. Usage: `npm run test:mutations -- [how many] [seed]`.
 */
type Tried = { mutation: Mutation; folder: string; verdict: Verdict }

/** Runs the checks without any mutation: a check that fails here fails for another reason. */
const control: Mutation = {
  kind: 'control',
  file: 'src/contract/index.ts',
  words: 'no change',
  start: 0,
  end: 0,
  to: '',
}

const root = join(import.meta.dirname, '../..')
const parts = ['src', 'scripts', 'test', 'generated', 'proto', 'openapi', 'package.json', 'tsconfig.json']

const [most = '96', seed = '1'] = process.argv.slice(2)
if (/^[1-9]\d*$/.test(most)) await run()
else {
  console.error('Usage: npm run test:mutations -- [how many] [seed], such as -- 12')
  process.exitCode = 1
}

async function run(): Promise<void> {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'trident-mutations-'))
  const work = await realpath(temporary.path)
  // A copy of the project whose contract counts as released: the baseline of the mutations.
  const released = join(work, 'released')
  await copy(root, released)
  await takeBaseline(released)
  const documents = await documentsIn(join(released, 'openapi'))
  const tried: Tried[] = []
  const mutations = [control, ...chosen(mutationsOf(released), Number(most), seed)]
  for (const [index, mutation] of mutations.entries()) {
    const folder = await mutatedProject(released, join(work, String(index)), mutation)
    const verdict = await publish(folder, documents)
    const one = { mutation, folder, verdict }
    tried.push(one)
    if (isOpen(one)) continue
    tell(one)
    await rm(folder, { recursive: true })
  }
  const open = tried.filter(isOpen)
  await askContractTests(open, work, released)
  for (const { folder, verdict } of open.filter(isOpen)) if (await failsTypes(folder)) verdict.refusedBy.push('types')
  const [first, ...others] = tried
  if (first === undefined || !isOpen(first))
    throw new Error(`without any change refused by ${first?.verdict.refusedBy}`)
  for (const one of open.filter(({ mutation }) => mutation !== control)) tell(one)
  report(others)
}

function isOpen({ verdict }: Tried): boolean {
  return verdict.refusedBy.length === 0
}

async function askContractTests(open: Tried[], work: string, released: string): Promise<void> {
  for (const { folder } of open) await regenerate(folder, released)
  const names = await readdir(join(released, 'generated/contract-tests'))
  const all = names.flatMap((name) => /^(\w+)\.test\.ts$/.exec(name)?.[1] ?? [])
  const projects = open.map(({ mutation, folder, verdict }): [string, string[]] => {
    const groups = groupsOf(mutation, verdict).filter((group) => all.includes(group))
    return [folder, groups.length > 0 ? [...new Set(groups)] : all]
  })
  const failed = await failContractTests(work, new Map(projects))
  for (const { folder, verdict } of open) if (failed.has(folder)) verdict.refusedBy.push('contract tests')
}

/**
 * The groups of operations whose tests could detect a change: those that it announces, and that of its file, because a
 * rule over several fields is in no document. Files that all operations share have none.
 */
function groupsOf({ file }: Mutation, { announced }: Verdict): string[] {
  const groups = announced.flatMap(({ subject }) => /^(\w+)\./.exec(subject)?.[1] ?? [])
  return [...groups, ...(/^src\/contract\/([a-z]+)/.exec(file)?.slice(1) ?? [])]
}

function tell(one: Tried): void {
  const { mutation, verdict } = one
  const result = verdict.refusedBy.join(', ') || outcomeOf(one)
  console.log(`${result.padEnd(30)}  ${mutation.kind.padEnd(21)}  ${mutation.words}`)
}

function report(tried: readonly Tried[]): void {
  console.log('')
  for (const [kind, some] of Map.groupBy(tried, ({ mutation }) => mutation.kind))
    console.log(`${kind.padEnd(22)} ${countsOf(some)}`)
  const gates = Map.groupBy(
    tried.filter((one) => !isOpen(one)),
    ({ verdict }) => verdict.refusedBy[0],
  )
  console.log(`\nfirst refused by: ${[...gates].map(([gate, some]) => `${gate} ${some.length}`).join(', ')}`)
  console.log(`mutations of seed ${seed}: ${countsOf(tried)}`)
  if (tried.some((one) => outcomeOf(one) === 'missed')) process.exitCode = 1
}

/**
 * A change that breaks no caller must pass every check and appear in the changelog. A change that no check notices is
 * counted as missed.
 */
function outcomeOf({ verdict: { refusedBy, announced } }: Tried): 'refused' | 'announced alone' | 'missed' {
  if (refusedBy.length > 0) return 'refused'
  return announced.length > 0 ? 'announced alone' : 'missed'
}

function countsOf(tried: readonly Tried[]): string {
  const count = (outcome: string) => tried.filter((one) => outcomeOf(one) === outcome).length
  const counts = ['refused', 'announced alone', 'missed'].map((outcome) => `${count(outcome)} ${outcome}`)
  return `${tried.length} tried: ${counts.join(', ')}`
}

/** A copy of the released project with a mutation in it. */
async function mutatedProject(released: string, folder: string, mutation: Mutation): Promise<string> {
  await copy(released, folder)
  const path = join(folder, mutation.file)
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.slice(0, mutation.start) + mutation.to + text.slice(mutation.end))
  return folder
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await Promise.all(parts.map((part) => cp(join(from, part), join(to, part), { recursive: true })))
  await symlink(join(root, 'node_modules'), join(to, 'node_modules'))
}
