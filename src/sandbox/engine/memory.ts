import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** The resident memory of a process in bytes; 0 where it cannot be read. */
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
