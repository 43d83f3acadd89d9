import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { connectIpc } from '../src/sandbox/engine/ipc.ts'

/** The folders of the rollup and its parent chain in a data folder. */
export type EmbeddedChain = 'chain' | 'chain/parent'

/** Calls the engine of a data folder directly, not through the gateway. */
export async function askEngine(
  dataDir: string,
  method: string,
  params: unknown[],
  chain: EmbeddedChain = 'chain',
): Promise<unknown> {
  const ipc = await connectIpc(engineSocket(dataDir, chain))
  try {
    return await ipc.call(method, params)
  } finally {
    ipc.close()
  }
}

/** The socket of the engine that serves a chain of a data folder, whose path is only in its command line. */
export function engineSocket(dataDir: string, chain: EmbeddedChain = 'chain'): string {
  const pid = `${servingPid(dataDir, chain)}`
  const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', pid], { encoding: 'utf8' })
  return /--ipc (\S+)/.exec(command)?.[1] ?? ''
}

/**
 * The process id of the engine that serves a chain of a data folder; the newest, while one replaces another. Null
 * without one.
 */
export function enginePid(dataDir: string, chain: EmbeddedChain = 'chain'): number | null {
  const folder = join(dataDir, chain, 'engine')
  const noted = readdirSync(folder).filter((name) => name.endsWith('.pid'))
  // A file may be removed at any time, as its process ends.
  const writtenAt = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const [newest] = noted.toSorted((a, b) => writtenAt(b) - writtenAt(a))
  return newest === undefined ? null : Number(newest.replace('.pid', ''))
}

/** Kills the engine that serves a chain of a data folder, and returns its process id. Throws where there is none. */
export function killEngine(dataDir: string, chain: EmbeddedChain = 'chain'): number {
  const pid = servingPid(dataDir, chain)
  process.kill(pid, 'SIGKILL')
  return pid
}

function servingPid(dataDir: string, chain: EmbeddedChain): number {
  const pid = enginePid(dataDir, chain)
  if (pid === null) throw new Error(`No engine serves ${join(dataDir, chain)}.`)
  return pid
}
