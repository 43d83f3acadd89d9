import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** The bytes of memory that a process holds; 0 where nobody can tell. */
export async function residentBytes(pid: number): Promise<number> {
  try {
    if (process.platform === 'linux') {
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      return 1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
    return 1_024 * Number(stdout) || 0
  } catch {
    return 0
  }
}
