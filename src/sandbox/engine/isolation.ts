import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Starts a program in a network of its own, as Linux can for every user unless its administrator forbids it. */
const ownNetwork = ['unshare', '--map-root-user', '--net'] as const

/**
 * The words before a command that start it where nobody reaches its TCP ports; none where the system cannot. The engine
 * always listens on such a port, without authentication, and obeys every user of the machine: its owner uses a socket in a
 * private folder instead. The machine is asked once, because each start of a process holds up the event loop.
 */
export function engineIsolation(): Promise<readonly string[]> {
  found ??= ask()
  return found
}

let found: Promise<readonly string[]> | undefined

async function ask(): Promise<readonly string[]> {
  if (process.platform !== 'linux') return []
  const [command, ...words] = ownNetwork
  try {
    await promisify(execFile)(command, [...words, 'true'], { env: {}, timeout: 5_000 })
    return ownNetwork
  } catch {
    return []
  }
}
