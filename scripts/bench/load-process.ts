import { fork } from 'node:child_process'
import { exitOf } from '../gateway-process.ts'
import type { Load, Slot } from './load.ts'

export type LoadProcess = AsyncDisposable & { run(slot: Slot): Promise<Load> }

/** Starts the process that asks; one slot at a time. A slot whose requests are refused throws. */
export function startLoadProcess(): LoadProcess {
  const child = fork(new URL('load.ts', import.meta.url))
  return {
    run: (slot) =>
      new Promise((resolve, reject) => {
        child.once('message', (answer: Load | { failed: string }) =>
          'failed' in answer ? reject(new Error(answer.failed)) : resolve(answer),
        )
        child.send(slot)
      }),
    async [Symbol.asyncDispose]() {
      child.kill()
      await exitOf(child)
    },
  }
}
