import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Records the engine's process id in its folder for `endOrphans` after a crash. Returns a function that removes it. */
export function recordEngine(engineDir: string, pid: number): () => void {
  const file = join(engineDir, `${pid}.pid`)
  writeFileSync(file, '', { mode: 0o600 })
  return () => rmSync(file, { force: true })
}

/** Ends the engines that an earlier process left behind and returns their process ids. A reused id is left alone. */
export function endOrphans(engineDir: string): number[] {
  if (!existsSync(engineDir)) return []
  const recorded = readdirSync(engineDir, { recursive: true, encoding: 'utf8' }).map((name) =>
    Number(/^([1-9]\d{0,9})\.pid$/.exec(basename(name))?.[1]),
  )
  const orphans = recorded.filter((pid) => pid > 1 && commandOf(pid).includes(engineDir))
  return orphans.filter(endProcess)
}

/** Kills a process. Returns false where it has already exited. */
export function endProcess(pid: number): boolean {
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
