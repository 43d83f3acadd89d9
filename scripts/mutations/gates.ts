import { execFile } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join, matchesGlob } from 'node:path'
import { promisify } from 'node:util'
import { startVitest } from 'vitest/node'
import type { Change } from '../contract-changes/change.ts'
import { documentChanges } from '../contract-changes/document-changes.ts'
import { protoChanges } from '../contract-changes/proto-changes.ts'
import { type Documents, documentsIn } from '../contract-changes/published.ts'

/** The result of the checks before a release: those that fail, and what the changelog would announce. */
export type Verdict = { refusedBy: string[]; announced: Change[] }

/**
 * Writes the published files of a changed contract over the released ones, and runs the checks that compare the two.
 */
export async function publish(folder: string, released: Documents): Promise<Verdict> {
  const files = await published(folder).catch((thrown: unknown) => {
    if (isOfMachine(thrown)) throw thrown
    return null
  })
  if (files === null) return { refusedBy: ['generation'], announced: [] }
  for (const [path, content] of files) await writeFile(join(folder, path), content)
  const now = await documentsIn(join(folder, 'openapi'))
  const [protobuf, documents] = [await protoChanges(folder), documentChanges(released, now)]
  const breaks = documents.some(({ level }) => level === 'breaking')
  return {
    refusedBy: [...(protobuf.length > 0 ? ['buf breaking'] : []), ...(breaks ? ['document changes'] : [])],
    announced: documents,
  }
}

/**
 * True where a file, a process or a module is missing or fails, which says nothing about the contract or its generator.
 */
function isOfMachine(thrown: unknown): boolean {
  return (
    !(thrown instanceof Error) || 'syscall' in thrown || ('code' in thrown && thrown.code === 'ERR_MODULE_NOT_FOUND')
  )
}

async function published(folder: string): Promise<Map<string, string | Uint8Array>> {
  const [{ contract }, generator] = await Promise.all([
    import(join(folder, 'src/contract/index.ts')),
    import(join(folder, 'scripts/generate/index.ts')),
  ])
  return (await generator.renderPublished(contract, folder)).files
}

/** Generated files that do not depend on the contract, and the tests of the released one. They stay unchanged. */
const kept = ['generated/intent', 'generated/contract-tests']

/** Generates every file that depends on a changed contract. */
export async function regenerate(folder: string, released: string): Promise<void> {
  const { contract } = await import(join(folder, 'src/contract/index.ts'))
  const { generate } = await import(join(folder, 'scripts/generate/index.ts'))
  await generate(contract, folder)
  for (const part of kept) await cp(join(released, part), join(folder, part), { recursive: true })
}

/**
 * The projects, all below one folder, whose gateway fails a test of the released contract: each with the groups whose
 * tests are run. One run covers all of them; throws where one of these tests does not run.
 */
export async function failContractTests(below: string, projects: ReadonlyMap<string, string[]>): Promise<Set<string>> {
  const include = [...projects].flatMap(([folder, groups]) => [
    join(folder, 'src/contract/**/*.test.ts'),
    ...groups.map((group) => join(folder, `generated/contract-tests/${group}.test.ts`)),
  ])
  if (include.length === 0) return new Set()
  const vitest = await startVitest('test', [], {
    root: below,
    include,
    config: false,
    watch: false,
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    reporters: [{}],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  })
  const modules = vitest.state.getTestModules().filter((module) => ['passed', 'failed'].includes(module.state()))
  await vitest.close()
  process.exitCode = 0 // failures are the expected result
  const unasked = include.filter((pattern) => !modules.some(({ moduleId }) => matchesGlob(moduleId, pattern)))
  if (unasked.length > 0) throw new Error(`No test has run of ${unasked.join(', ')}`)
  const failed = modules.filter((module) => !module.ok())
  return new Set(
    [...projects.keys()].filter((folder) => failed.some(({ moduleId }) => moduleId.startsWith(`${folder}/`))),
  )
}

/** True where the project does not compile. */
export async function failsTypes(folder: string): Promise<boolean> {
  const settings = {
    extends: './tsconfig.json',
    include: ['src', 'generated/grpc', 'generated/trpc', 'generated/intent'],
    // The console has settings of its own, and takes only types of the contract.
    exclude: ['**/*.test.ts', 'src/console'],
  }
  await writeFile(join(folder, 'tsconfig.sources.json'), JSON.stringify(settings))
  const compiler = join(folder, 'node_modules/typescript/bin/tsc')
  const args = [compiler, '--project', 'tsconfig.sources.json', '--noEmit', '--checkers', '1']
  return await promisify(execFile)(process.execPath, args, { cwd: folder }).then(
    () => false,
    (failure: { stdout?: unknown }) => {
      if (/error TS\d+/.test(String(failure.stdout))) return true
      throw failure
    },
  )
}
