import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { whenGone } from './when-gone.ts'

/** The result of a command: its exit code, null where it was killed, and its output. */
export type Ran = { code: number | null; output: string; milliseconds: number }

/**
 * Runs a command in the project's folder and waits until its output ends. Its processes end after `limitSeconds`, or
 * with this process.
 */
export async function runCommand(
  command: string,
  words: readonly string[],
  { limitSeconds, env = process.env }: { limitSeconds: number; env?: NodeJS.ProcessEnv },
): Promise<Ran> {
  const begun = performance.now()
  const cwd = join(import.meta.dirname, '..')
  const child = spawn(command, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  using _ = whenGone('kill -9 "-$0"', String(child.pid))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  let overdue = false
  const limit = setTimeout(() => {
    overdue = true
    output += `\nIt was ended after ${limitSeconds} s.`
    process.kill(-(child.pid ?? Number.NaN), 'SIGKILL')
  }, limitSeconds * 1_000)
  const [code] = await once(child, 'close')
  clearTimeout(limit)
  return { code: overdue ? null : code, output, milliseconds: Math.round(performance.now() - begun) }
}
