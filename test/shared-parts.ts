import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a file asks for what all files of a run share. */
    shared: string
  }
}

/** What is made once for a run. Each is a URL or a path. */
export type SharedPart = 'database' | 'empty-database' | 'data-folder'

/** Prints the seeds of the run, and starts the process that serves what its files share. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  for (const [name, value] of Object.entries(project.config.env))
    if (name.endsWith('_SEED')) console.log(`${name}=${value}`)
  const host = fork(join(import.meta.dirname, 'shared-host.ts'))
  const [port] = await once(host, 'message')
  project.provide('shared', `http://127.0.0.1:${port}`)
  return async () => {
    const ended = once(host, 'exit')
    host.disconnect()
    await ended
  }
}
