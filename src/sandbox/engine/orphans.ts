import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * Starts a process that waits until this one ends, even by a kill, and then kills the engine and removes its socket
 * folder. It waits on its standard input, since the system closes the pipe of a killed process too.
 */
export function guardEngine(pid: number, socketDir: string): { release: () => void } {
  const script = 'read -r _; kill -9 "$0" 2>/dev/null; rm -rf "$1"'
  const guard = spawn('/bin/sh', ['-c', script, String(pid), socketDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Where there is no shell, the next start finds the engine by its recorded process id.
  guard.on('error', () => {})
  guard.stdin.on('error', () => {})
  return { release: () => void guard.kill('SIGKILL') }
}

/** Records the engine's process id in its folder for `endOrphans` after a crash. Returns a function that removes it. */
export function recordEngine(engineDir: string, pid: number): () => void {
  const file = join(engineDir, `${pid}.pid`)
  writeFileSync(file, '')
  return () => rmSync(file, { force: true })
}

/** Ends the engines that an earlier process left behind and returns their process ids. A reused id is left alone. */
export function endOrphans(engineDir: string): number[] {
  if (!existsSync(engineDir)) return []
  const recorded = readdirSync(engineDir, { recursive: true, encoding: 'utf8' }).map((name) =>
    Number(/^([1-9]\d{0,9})\.pid$/.exec(basename(name))?.[1]),
  )
  const orphans = recorded.filter((pid) => pid > 1 && commandOf(pid).includes(engineDir))
  return orphans.filter(end)
}

/** Returns false where the process has already exited. */
function end(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

function commandOf(pid: number): string {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
