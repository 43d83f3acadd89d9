import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documentsIn, failContractTests, failsTypes, publish, regenerate, type Verdict } from './gates.ts'
import { chosen, type Mutation, mutationsOf } from './mutation.ts'
import { mutatedProject, releasedProject } from './projects.ts'

/**
 * Changes one thing of the contract at a time, in copies of the project, makes everything that follows from it anew and
 * asks which gate sees that its meaning has changed. Usage: `npm run test:mutations -- [how many] [seed]`.
 */
type Tried = { mutation: Mutation; folder: string; verdict: Verdict }

/** Changes nothing: a gate that refuses it sees something else than the mutations. */
const control: Mutation = {
  kind: 'control',
  file: 'src/contract/index.ts',
  words: 'no change',
  start: 0,
  end: 0,
  to: '',
}

const [most = '87', seed = '1'] = process.argv.slice(2)
const work = await realpath(await mkdtemp(join(tmpdir(), 'trident-mutations-')))
try {
  await run()
} finally {
  await rm(work, { recursive: true, force: true })
}

async function run(): Promise<void> {
  const released = await releasedProject(join(work, 'released'))
  const documents = await documentsIn(released)
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
  await askContractTests(open, released)
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

async function askContractTests(open: Tried[], released: string): Promise<void> {
  for (const { folder } of open) await regenerate(folder, released)
  const groupsOf = ({ announced }: Verdict) => announced.map(({ subject }) => subject.split('.')[0] ?? '')
  const all = open.flatMap(({ verdict }) => groupsOf(verdict))
  const projects = open.map(({ mutation, folder, verdict }): [string, string[]] => [
    folder,
    [...new Set(mutation === control ? all : groupsOf(verdict))],
  ])
  const failed = await failContractTests(work, new Map(projects))
  for (const { folder, verdict } of open) if (failed.has(folder)) verdict.refusedBy.push('contract tests')
}

function tell({ mutation, verdict }: Tried): void {
  console.log(`${seenBy(verdict).join(', ').padEnd(30)}  ${mutation.kind.padEnd(21)}  ${mutation.words}`)
}

function report(tried: readonly Tried[]): void {
  console.log('')
  for (const [kind, some] of Map.groupBy(tried, ({ mutation }) => mutation.kind))
    console.log(`${kind.padEnd(22)} ${some.length} tried, ${caught(some)} caught`)
  const gates = Map.groupBy(
    tried.map(({ verdict }) => seenBy(verdict)[0] ?? ''),
    (gate) => gate,
  )
  console.log(`\nfirst seen by: ${[...gates].map(([gate, some]) => `${gate} ${some.length}`).join(', ')}`)
  console.log(`mutations: ${tried.length} tried, ${caught(tried)} caught`)
  if (caught(tried) < tried.length) process.exitCode = 1
}

/** A change that breaks nobody is caught where the changelog names it; what no gate and no changelog sees is missed. */
function seenBy({ refusedBy, announced }: Verdict): string[] {
  if (refusedBy.length > 0) return refusedBy
  return announced.length > 0 ? ['changelog alone'] : ['MISSED']
}

function caught(tried: readonly Tried[]): number {
  return tried.filter(({ verdict }) => seenBy(verdict)[0] !== 'MISSED').length
}
