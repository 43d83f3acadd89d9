import { readFileSync } from 'node:fs'

/** What a process has taken of the machine so far. */
export type ProcessUse = {
  /** Resident memory in KB. */
  memoryKb(): number
  /** Processor time in milliseconds, of its own alone: that of a child is not in it. */
  processorMs(): number
}

/** Looks at a running process, as often as asked. */
export function useOf(pid: number | undefined): ProcessUse {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')
  return {
    memoryKb: () => Number(/VmRSS:\s+(\d+)/.exec(read('status'))?.[1]),
    processorMs() {
      const fields = read('stat').split(') ')[1]?.split(' ') ?? []
      return (Number(fields[11]) + Number(fields[12])) * 10 // user and system, in ticks of 10 ms
    },
  }
}
