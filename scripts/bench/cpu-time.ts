import { readdirSync, readFileSync } from 'node:fs'

/** Microseconds that all threads of a process have worked, which does not depend on what else the machine does. */
export function cpuTimeOf(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const nanoseconds = readdirSync(tasks).map((id) =>
    Number(readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1_000
}
