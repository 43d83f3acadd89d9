import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Starts a process that waits for the end of this one, however it ends, then kills the engine and removes its socket
 * folder. It notices by its standard input: the system closes the pipe for a killed process too.
 */
export function guardEngine(pid: number, socketDir: string): { release: () => void } {
  const script = 'read -r _; kill -9 "$0" 2>/dev/null; rm -rf "$1"'
  const guard = spawn('/bin/sh', ['-c', script, String(pid), socketDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Without a shell the engine is still found at the next start by its recorded id.
  guard.on('error', () => {})
  guard.stdin.on('error', () => {})
  return { release: () => void guard.kill('SIGKILL') }
}

/** Notes the engine's process id in its folder, for `endOrphan` to find after a crash. */
export function recordEngine(engineDir: string, pid: number): void {
  writeFileSync(join(engineDir, 'pid'), String(pid))
}

/** Ends the engine an earlier run left behind, if the recorded process still is that engine. Answers its id. */
export function endOrphan(engineDir: string): number | null {
  const file = join(engineDir, 'pid')
  if (!existsSync(file)) return null
  const pid = Number(readFileSync(file, 'utf8'))
  rmSync(file)
  if (!Number.isSafeInteger(pid) || pid < 2 || !commandOf(pid).includes(engineDir)) return null
  process.kill(pid, 'SIGKILL')
  return pid
}

function commandOf(pid: number): string {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
