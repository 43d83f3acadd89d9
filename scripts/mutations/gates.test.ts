import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
let below: string

beforeAll(async () => {
  below = await realpath(await mkdtemp(join(tmpdir(), 'trident-gates-')))
  await symlink(join(root, 'node_modules'), join(below, 'node_modules'))
  await Promise.all([project('good', true), project('bad', false)])
})
afterAll(() => rm(below, { recursive: true }))

/** A project with a test of its contract, and one of its group `shop` that passes or not. */
async function project(name: string, passes: boolean): Promise<void> {
  const write = async (folder: string, file: string, passing: boolean) => {
    await mkdir(join(below, name, folder), { recursive: true })
    const text = `import { expect, test } from 'vitest'\ntest('a', () => expect(${passing}).toBe(true))\n`
    await writeFile(join(below, name, folder, file), text)
  }
  await write('src/contract', 'rules.test.ts', true)
  await write('generated/contract-tests', 'shop.test.ts', passes)
}

/** The projects whose contract tests fail, each with its groups, run in a separate process. */
async function failing(projects: Record<string, string[]>): Promise<string[]> {
  const folders = Object.entries(projects).map(([name, groups]) => [join(below, name), groups])
  const code = `
    const { failContractTests } = await import(${JSON.stringify(join(import.meta.dirname, 'gates.ts'))})
    const failed = await failContractTests(${JSON.stringify(below)}, new Map(${JSON.stringify(folders)}))
    console.log(JSON.stringify([...failed]))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '').map((folder: string) => folder.slice(below.length + 1))
}

test('a project whose contract test fails is reported', async () => {
  expect(await failing({ good: ['shop'], bad: ['shop'] })).toEqual(['bad'])
})

test('a project whose contract tests do not run is an error, not a pass', async () => {
  await expect(failing({ good: ['shop'], bad: ['chop'] })).rejects.toThrow(
    /No test has run of .*bad\/.*\/chop\.test\.ts/,
  )
})
