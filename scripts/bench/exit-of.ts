import type { ChildProcess } from 'node:child_process'

/** The exit code of a process, null where a signal ended it. */
export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode)
    else child.once('exit', resolve)
  })
}
