import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks a second in `/proc`, which Linux gives to programs as 100 on every architecture. */
const ticksPerSecond = 100

type Process = { parent: number; ticks: number }

/**
 * Processor seconds that a process, its living descendants and the ended ones that were waited for have used so far, in
 * programs and in the kernel. Zero on a system without `/proc`.
 */
export function processorSeconds(pid: number): number {
  const processes = new Map<number, Process>()
  for (const name of entries('/proc')) {
    const read = /^\d+$/.test(name) ? readProcess(name) : null
    if (read !== null) processes.set(Number(name), read)
  }
  const inTree = (id: number): boolean => id === pid || (processes.has(id) && inTree(processes.get(id)?.parent ?? 0))
  const ticks = [...processes].filter(([id]) => inTree(id)).map(([, each]) => each.ticks)
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond
}

function readProcess(pid: string): Process | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may itself have spaces and brackets. After it: state, parent and, from the twelfth on, the
    // ticks of the process and of children that it waited for, in programs and in the kernel.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(fields[1]), ticks: fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) }
  } catch {
    return null // it ended meanwhile
  }
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
