import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { within } from '../kit/within.ts'

/** A running program, and its exit status as a shell has it: null where it ended with the launcher. */
type Launched = { pid: number; exited: Promise<number | null> }

/** Starts the processes of one engine and its forks, and ends them all with it. */
export type Launcher = {
  /** A private folder for their sockets, which ends with them. Its path is short, as that of a socket must be. */
  folder: string
  /** Starts a program at a priority from 0 to 19, the lowest. Throws where it cannot be started. */
  launch: (command: readonly string[], niceness: number) => Promise<Launched>
  /** Ends all of them. */
  close: () => Promise<void>
}

/**
 * Reads one program with its arguments a line, quoted for the shell, and says when each started and ended. When its standard
 * input is closed, by the end of this process too, even by a kill, it ends its process group: all programs and itself.
 */
const script = `
while IFS= read -r line; do
  eval "set -- $line"
  id=$1 niceness=$2
  shift 2
  {
    nice -n "$niceness" "$@" </dev/null >/dev/null 2>&1 &
    echo "$id started $!"
    wait $!
    echo "$id ended $?"
  } &
  jobs >/dev/null
done
rm -rf "$0"
kill -9 0`

/** The longest start of a program: where the shell cannot fork, it never says so. */
const startMs = 10_000

type Program = { started: (pid: number | null) => void; ended: (status: number | null) => void }

/**
 * Opens a launcher, which is a shell. A start by this process itself would stop its event loop for 20 ms and more, since
 * the system copies its memory map; forks of an engine are started again and again. The words of `isolation` come before the
 * shell's own.
 */
export function openLauncher(isolation: readonly string[] = []): Launcher {
  const folder = mkdtempSync(join(tmpdir(), 'trident-'))
  const [program = '/bin/sh', ...words] = [...isolation, '/bin/sh', '-c', script, folder]
  const shell = spawn(program, words, {
    stdio: ['pipe', 'pipe', 'ignore'],
    // The environment may contain the master key, which the programs must not see.
    env: {},
    // In a process group of its own they get no interrupt from the terminal: the gateway does, and ends them in order.
    detached: true,
  })
  const programs = new Map<number, Program>()
  let launched = 0
  let isClosed = false
  const closed = new Promise<void>((resolve) => {
    shell.once('error', () => resolve())
    shell.once('exit', () => resolve())
  }).then(() => {
    isClosed = true
    // Where the shell itself was killed, or could not fork, its programs live on.
    endGroup(shell.pid)
    rmSync(folder, { recursive: true, force: true })
    for (const { started, ended } of programs.values()) {
      started(null)
      ended(null)
    }
  })
  shell.stdin.on('error', () => {})
  createInterface(shell.stdout).on('line', (line) => {
    const [id = 0, event, number] = line.split(' ')
    const program = programs.get(Number(id))
    if (event === 'started') program?.started(Number(number))
    else program?.ended(Number(number))
    if (event === 'ended') programs.delete(Number(id))
  })

  async function launch(command: readonly string[], niceness: number): Promise<Launched> {
    launched += 1
    const started = Promise.withResolvers<number | null>()
    const ended = Promise.withResolvers<number | null>()
    if (isClosed) started.resolve(null)
    else programs.set(launched, { started: started.resolve, ended: ended.resolve })
    shell.stdin.write(`${[String(launched), String(niceness), ...command].map(quoted).join(' ')}\n`)
    const pid = await within(startMs, started.promise)
    if (pid === null) throw new Error('the chain engine could not be started: /bin/sh is needed')
    return { pid, exited: ended.promise }
  }

  return {
    folder,
    launch,
    close: async () => {
      shell.stdin.end()
      await closed
    },
  }
}

/** Kills a process group, where there is one. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

function quoted(text: string): string {
  if (text.includes('\n')) throw new Error('a path of the chain must not contain a line break')
  return `'${text.replaceAll("'", "'\\''")}'`
}
