import { type ChildProcess, fork } from 'node:child_process'
import { basename } from 'node:path'
import { type ProcessUse, useOf } from '../../test/process-use.ts'

/** A module of the benchmarks that runs as a separate process, and ends once it is disconnected. */
export type Child = AsyncDisposable & {
  use: ProcessUse
  /** Sends a message and returns the next response; throws the text of `{ failed }`. */
  ask<Answer>(message: object | string): Promise<Answer>
}

export function startChild(module: string, ...given: string[]): Child {
  const child = fork(new URL(module, import.meta.url), given, { execArgv: profileFlags(given[0] ?? basename(module)) })
  return {
    use: useOf(child.pid),
    ask: <Answer>(message: object | string) =>
      new Promise<Answer>((resolve, reject) => {
        const settle = (answer: Answer | { failed: string }) => {
          child.off('exit', ended)
          if (typeof answer === 'object' && answer !== null && 'failed' in answer) reject(new Error(answer.failed))
          else resolve(answer as Answer)
        }
        const ended = (code: number | null) => reject(new Error(`${module} ended with ${code}.`))
        child.once('message', settle).once('exit', ended)
        child.send(message)
      }),
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await exitOf(child)
    },
  }
}

/** The exit code of a process, null where a signal ended it. */
export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode)
    else child.once('exit', resolve)
  })
}

/** With PROFILE_DIR set, each process writes its CPU profile there. */
function profileFlags(name: string): string[] {
  const dir = process.env.PROFILE_DIR
  return dir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-name=${name}.cpuprofile`]
}
