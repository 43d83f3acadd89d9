import { readdirSync, readFileSync } from 'node:fs'

/** The memory and CPU time of a process so far. */
export type ProcessUse = {
  /** Resident memory in KB. */
  memoryKb(): number
  /** CPU time of all its threads in milliseconds, without its children. */
  processorMs(): number
}

/** Reads the memory and processor time of a running process, at each call. */
export function useOf(pid: number | undefined): ProcessUse {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')
  return {
    memoryKb: () => Number(/VmRSS:\s+(\d+)/.exec(read('status'))?.[1]),
    processorMs() {
      const threads = readdirSync(`/proc/${pid}/task`)
      const nanoseconds = threads.map((id) => Number(read(`task/${id}/schedstat`).split(' ')[0]))
      return nanoseconds.reduce((sum, each) => sum + each, 0) / 1_000_000
    },
  }
}
