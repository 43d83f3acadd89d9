import { fork } from 'node:child_process'
import { once } from 'node:events'
import { exitOf } from '../gateway-process.ts'
import { type ProcessUse, useOf } from '../process-use.ts'
import type { ServerName } from './serve.ts'

/** A server in a process of its own; its ports, of those protocols that it speaks. */
export type ServerProcess = AsyncDisposable & { use: ProcessUse; http?: number; grpc?: number }

/** Starts one of the servers of `serve.ts`, with the token keys of a folder. Throws where it ends instead of listening. */
export async function startServer(name: ServerName, dataDir: string): Promise<ServerProcess> {
  const child = fork(new URL('serve.ts', import.meta.url), [name, dataDir], { execArgv: profileFlags(name) })
  const end = async () => {
    if (child.connected) child.disconnect()
    await exitOf(child)
  }
  const ended = once(child, 'exit').then(() => {
    throw new Error(`The server ${name} ended before it listened.`)
  })
  const [ports] = await Promise.race([once(child, 'message'), ended])
  return { use: useOf(child.pid), ...ports, [Symbol.asyncDispose]: end }
}

/** With PROFILE_DIR set each server leaves its CPU profile there. */
function profileFlags(name: ServerName): string[] {
  const dir = process.env.PROFILE_DIR
  return dir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-name=${name}.cpuprofile`]
}
