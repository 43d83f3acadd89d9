import { execFileSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'

/** The last commit before the rule: later subjects follow it. */
const base = 'fa527e0f7ed69a691f6a3c5f6da19b436b51d3a0'
const longestSubject = 72

/** Subjects that are too long, or that do not begin with a lower-case area and a colon, each with its commit. */
export function wrongSubjects(log: string): string[] {
  return log.split('\n').filter((line) => {
    const subject = line.replace(/^\S+ /, '')
    return line !== '' && (subject.length > longestSubject || !/^[a-z][a-z0-9 /,_-]*: \S/.test(subject))
  })
}

/**
 * Checks the subjects of the commits after the base; merges are skipped. A shallow clone that lacks the base has later
 * commits alone, and all of them are checked. Any other history that lacks it is not this project's: nothing is checked.
 */
export function checkCommits(folder: string, after = base): { lines: string[]; ok: boolean } {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim()
  const succeeds = (...words: string[]) => {
    try {
      git(...words)
      return true
    } catch {
      return false
    }
  }
  if (!succeeds('rev-parse', '--verify', 'HEAD')) return { lines: ['No commits here: nothing is checked.'], ok: true }
  const lines: string[] = []
  const hasBase = succeeds('merge-base', '--is-ancestor', after, 'HEAD')
  if (!hasBase && git('rev-parse', '--is-shallow-repository') !== 'true')
    return { lines: [`The history lacks the commit ${after.slice(0, 7)}: nothing is checked.`], ok: true }
  if (!hasBase) lines.push('The clone is shallow: only the commits that it has are checked.')
  const log = git('log', '--no-merges', '--format=%h %s', hasBase ? `${after}..HEAD` : 'HEAD')
  const wrong = wrongSubjects(log)
  const count = log === '' ? 0 : log.split('\n').length
  if (wrong.length === 0) return { lines: [...lines, `${count} commit subjects are well formed.`], ok: true }
  const rule = `Write "area: what it does" in at most ${longestSubject} characters. These commits do not:`
  return { lines: [...lines, rule, ...wrong.map((line) => `  ${line}`)], ok: false }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { lines, ok } = checkCommits(process.cwd())
  console.log(lines.join('\n'))
  process.exitCode = ok ? 0 : 1
}
