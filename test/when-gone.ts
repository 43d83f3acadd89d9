import { spawn } from 'node:child_process'

/**
 * Runs a shell line when this process has ended, also by SIGKILL, which neither `finally` nor an exit handler sees: the
 * shell reads a pipe that the system then closes. `words` are its $0, $1 and so on. Disposing cancels it.
 */
export function whenGone(line: string, ...words: string[]): Disposable {
  const shell = spawn('/bin/sh', ['-c', `read -r _; ${line}`, ...words], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.unref()
  return { [Symbol.dispose]: () => void shell.kill('SIGKILL') }
}
