import { spawn } from 'node:child_process'

/**
 * Has the shell run a line once this process is gone, by a signal too, which no `finally` and no `exit` sees: the pipe
 * that it reads is closed then. `words` are its $0, $1 and so on. Disposing calls it off.
 */
export function whenGone(line: string, ...words: string[]): Disposable {
  const shell = spawn('/bin/sh', ['-c', `read -r _; ${line}`, ...words], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.unref()
  return { [Symbol.dispose]: () => void shell.kill('SIGKILL') }
}
