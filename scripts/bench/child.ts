import { fork } from 'node:child_process'
import { exitOf } from '../gateway-process.ts'
import { type ProcessUse, useOf } from '../process-use.ts'

/** A module of this folder that runs as a process of its own. */
export type Child = AsyncDisposable & {
  use: ProcessUse
  /** Sends a message and answers the next one that comes back; throws the words of `{ failed }`. */
  ask<Answer>(message: object | string): Promise<Answer>
}

export function startChild(module: string, ...given: string[]): Child {
  const child = fork(new URL(module, import.meta.url), given)
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
      child.kill()
      await exitOf(child)
    },
  }
}
