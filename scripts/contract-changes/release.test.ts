import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isLong } from '../../test/sized.ts'
import type { Change, Level } from './change.ts'
import { faultsOf, notesOf, section, withSection } from './release.ts'

const day = '2027-06-30'
const root = join(import.meta.dirname, '../..')
let folder: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'trident-release-')))
  for (const part of ['src/contract', 'scripts/contract-changes', 'openapi', 'proto'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rm(folder, { recursive: true }))

const changed = (level: Level): Change => ({ subject: 'a.b', level, text: 'is other' })

test.each<[string, Level[], string[]]>([
  ['0.2.0', ['changed', 'added', 'breaking'], ['0.2.0', '0.1.9', '0.2.1']],
  ['0.2.0', ['changed', 'added'], ['0.2.0', '0.1.9', '0.2.1']],
  ['0.2.0', ['deprecated'], ['0.2.0', '0.1.9', '0.2.1']],
  ['0.2.0', ['changed'], ['0.2.0', '0.1.9']],
  ['0.2.0', [], ['0.2.0', '0.1.9']],
  ['1.0.0', ['breaking'], ['0.1.9', '0.2.0', '0.2.1', '0.3.0', '1.0.0']],
  ['1.2.0', ['breaking'], ['0.1.9', '0.2.0', '0.2.1', '0.3.0', '1.0.0']],
])('after %s with %j may not come %j', (was, levels, refused) => {
  const changes = levels.map(changed)
  const mayNot = ['0.1.9', '0.2.0', '0.2.1', '0.3.0', '1.0.0', '2.0.0'].filter(
    (is) => faultsOf({ was, is, day, changes }).length > 0,
  )
  expect(mayNot.sort()).toEqual(refused.sort())
})

test('a deprecation without a sunset date lasts half a year', () => {
  const promised = { since: '0.2.0', on: '2026-12-01', use: 'a.c' } as const
  const release = { was: '0.2.0', is: '1.0.0', changes: [{ ...changed('breaking'), promised }] }
  expect(faultsOf({ ...release, day: '2027-05-30' })).toEqual([
    '`a.b`: is other, but was announced to stay until 2027-05-31.',
  ])
  expect(faultsOf({ ...release, day: '2027-05-31' })).toEqual([])
})

test('an end is announced for the day of the release, or a later one', () => {
  const on = (on: `${number}-${number}-${number}`) => {
    const announced = { since: '0.2.0', on, use: 'a.c' }
    return faultsOf({ was: '0.1.0', is: '0.2.0', day, changes: [{ ...changed('deprecated'), announced }] })
  }
  expect([on('2027-06-30'), on('2027-07-01')]).toEqual([[], []])
  expect(on('2027-06-29')).toEqual([expect.stringContaining("`on: '2027-06-29'`, which has gone by")])
})

test('what people wrote of the next version moves into it, and the sections of earlier ones stay', () => {
  const head = withSection('', '').trim()
  const first = '## 0.1.0 (2026-11-21)\n\nThe first release.'
  const open = `${head}\n\n## Unreleased\n\n- A port refuses other names.\n\n${first}\n`
  expect([notesOf(open), notesOf(`${head}\n\n${first}\n`)]).toEqual(['- A port refuses other names.', ''])
  const newest = section('0.2.0 (2026-12-01)', [changed('added')], notesOf(open))
  expect(newest).toBe('## 0.2.0 (2026-12-01)\n\n- A port refuses other names.\n\n### Added\n\n- `a.b`: is other')
  expect(withSection(open, newest)).toBe(`${head}\n\n${newest}\n\n${first}\n`)
  expect(withSection(withSection(open, newest), newest)).not.toContain('Unreleased\n')
})

test.runIf(isLong)('an invalid release writes nothing; a valid one becomes the baseline of the next', async () => {
  const run = (word: string) =>
    promisify(execFile)(process.execPath, [join(folder, 'scripts/contract-changes/index.ts'), word])
  const written = () =>
    Promise.all(
      ['CHANGELOG.md', 'baseline/openapi.json'].map((path) => readFile(join(folder, 'openapi', path), 'utf8')),
    )
  // The check of generated files is replaced, since this test writes them.
  const scripts = { 'generate:check': 'exit 0' }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts }))
  const say = async (version: string, path: string) => {
    const document = JSON.parse(await readFile(join(root, 'openapi/openapi.json'), 'utf8'))
    const { '/api/v1/wallets': wallets, ...paths } = document.paths
    const said = { ...document, info: { ...document.info, version }, paths: { ...paths, [path]: wallets } }
    await writeFile(join(folder, 'openapi/openapi.json'), JSON.stringify(said))
  }
  // The last release was an earlier version, whatever that of the project is.
  for (const name of ['openapi', 'openrpc']) {
    const document = JSON.parse(await readFile(join(root, `openapi/${name}.json`), 'utf8'))
    const released = { ...document, info: { ...document.info, version: '0.1.0' } }
    await writeFile(join(folder, `openapi/baseline/${name}.json`), JSON.stringify(released))
  }
  await writeFile(join(folder, 'openapi/CHANGELOG.md'), `${withSection('', '').trim()}\n\n## Unreleased\n\n- A note.\n`)

  const before = await written()
  for (const [version, path, reason] of [
    ['0.1.0', '/api/v1/purses', 'raise the minor version'],
    ['1.0.0', '/api/v1/purses', 'its end was not announced'],
  ] as const) {
    await say(version, path)
    for (const word of ['--check', '--release'])
      await expect(run(word)).rejects.toMatchObject({ stderr: expect.stringContaining(reason) })
    expect(await written()).toEqual(before)
  }
  // The project's own version follows its last release, whatever changed since.
  const { version: next } = JSON.parse(await readFile(join(root, 'openapi/openapi.json'), 'utf8')).info
  await say(next, '/api/v1/wallets')
  await run('--check')
  await run('--release')
  expect((await written())[0]).toMatch(new RegExp(`## ${next} \\(.*\\)\n\n- `))
  await run('--check')
  await expect(run('--release')).rejects.toMatchObject({ stderr: expect.stringContaining('raise the patch version') })
  await writeFile(join(folder, 'openapi/baseline/openrpc.json'), '{')
  await expect(run('--release')).rejects.toMatchObject({ stderr: expect.stringContaining('JSON') })
})
