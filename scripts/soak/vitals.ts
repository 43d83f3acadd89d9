import { readdirSync } from 'node:fs'
import { type EmbeddedChain, enginePid } from '../../test/engine.ts'
import type { Gateway } from '../../test/gateway-process.ts'
import { asOperator } from '../../test/operator-token.ts'
import { useOf } from '../../test/process-use.ts'

export type Vitals = {
  /** Seconds since the first measurement. */
  at: number
  /** The JavaScript heap with its external buffers. */
  heapMb: number
  residentMb: number
  descriptors: number
  /** The longest delay of the event loop since the last measurement. */
  lagMs: number
  /** Open descriptors, and the resident memory of both engines together. */
  engines: { residentMb: number; descriptors: number }
}

/** Returns a function that measures a gateway by its own metrics, and its engines by those of the system. */
export function openVitals(gateway: Gateway, dataDir: string): () => Promise<Vitals> {
  const begun = performance.now()
  return async () => {
    const response = await fetch(`${gateway.urls.http}/metrics`, { headers: asOperator })
    const text = await response.text()
    const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    return {
      at: (performance.now() - begun) / 1_000,
      heapMb: (figure('nodejs_heap_size_used_bytes') + figure('nodejs_external_memory_bytes')) / 1e6,
      residentMb: figure('process_resident_memory_bytes') / 1e6,
      descriptors: figure('process_open_fds'),
      lagMs: figure('nodejs_eventloop_lag_max_seconds') * 1_000,
      engines: enginesOf(dataDir),
    }
  }
}

function enginesOf(dataDir: string): Vitals['engines'] {
  const sum = { residentMb: 0, descriptors: 0 }
  for (const chain of ['chain', 'chain/parent'] as const satisfies EmbeddedChain[]) {
    const pid = enginePid(dataDir, chain)
    if (pid === null) continue
    try {
      sum.residentMb += useOf(pid).memoryKb() / 1_000
      sum.descriptors += readdirSync(`/proc/${pid}/fd`).length
    } catch {
      // The engine was just killed, and its successor is starting.
    }
  }
  return sum
}
