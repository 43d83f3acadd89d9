import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkCommits, wrongSubjects } from './check-commits.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trident-commits-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function git(...words: string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false']
  return execFileSync('git', [...identity, ...words], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim()
}

function commit(subject: string): string {
  git('commit', '--allow-empty', '--no-verify', '-m', subject)
  return git('rev-parse', 'HEAD')
}

test('a subject names a lower-case area and has at most 72 characters', () => {
  const right = `sending: ${'x'.repeat(72 - 'sending: '.length)}`
  expect(wrongSubjects(`a1 ${right}\nb2 test/ports, ci: check both\n`)).toEqual([])
  const wrong = [`c3 ${right}y`, 'd4 Fix the outbox', 'e5 Sending: fix', 'f6 sending:fix', 'g7 sending:']
  expect(wrongSubjects(wrong.join('\n'))).toEqual(wrong)
})

test('only the commits after the base are checked', () => {
  git('init', '-q')
  const before = commit('Whatever was said before the rule')
  commit('tests: check what comes later')
  expect(checkCommits(folder, before)).toEqual({ lines: ['1 commit subjects are well formed.'], ok: true })
  commit('No area')
  const { lines, ok } = checkCommits(folder, before)
  expect(ok).toBe(false)
  expect(lines.at(-1)).toMatch(/^ {2}[0-9a-f]+ No area$/)
})

test('a shallow clone that lacks the base has all its commits checked, and the output says so', () => {
  git('init', '-q', 'origin')
  const origin = join(folder, 'origin')
  const inOrigin = (...words: string[]) => git('-C', origin, ...words)
  for (const subject of ['Before the rule', 'No area', 'tests: the newest'])
    inOrigin('commit', '--allow-empty', '--no-verify', '-m', subject)
  const before = inOrigin('rev-parse', 'HEAD~2')
  for (const depth of [1, 2]) git('clone', '-q', '--depth', `${depth}`, `file://${origin}`, `clone-${depth}`)
  expect(checkCommits(join(folder, 'clone-1'), before)).toEqual({
    lines: [expect.stringMatching(/shallow/), '1 commit subjects are well formed.'],
    ok: true,
  })
  expect(checkCommits(join(folder, 'clone-2'), before).lines.at(-1)).toMatch(/No area$/)
})

test('without a repository, or in another one, nothing is checked', () => {
  expect(checkCommits(folder)).toEqual({ lines: ['No commits here: nothing is checked.'], ok: true })
  git('init', '-q')
  commit('An import of all files')
  expect(checkCommits(folder)).toEqual({ lines: [expect.stringMatching(/lacks the commit/)], ok: true })
})
