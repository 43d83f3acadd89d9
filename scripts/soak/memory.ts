import { median } from '../percentiles.ts'
import { slopeOf } from './trend.ts'
import type { Vitals } from './vitals.ts'

/** The memory of a gateway before, during and after the traffic, and at rest; measured after garbage collections. */
export type Looks = { idle: Vitals; during: Vitals[]; atRest: Vitals[]; settled: Vitals | null }

export type Judgement = { what: string; found: string; bound: string; holds: boolean | null }

/**
 * Retained memory grows with the traffic until the caches are full: logs and results of blocks, tokens, addresses,
 * compiled code. 60 MB an hour is one kilobyte for each of 17 requests a second. Ten minutes without faults at 30 a
 * second showed 48, of which a third was logs of blocks.
 */
const heapMbPerHour = 60
/** For code compiled since, and caches that expire. Ten minutes of a leak at the bound above add 7.5. */
const settledMb = 10
/** Connections to providers and engines, which the gateway opens on demand and keeps for a while. */
const moreDescriptors = 8

/** Compares the samples with the bounds; where the run was too short it decides nothing. */
export function judge({ idle, during, atRest, settled }: Looks): Judgement[] {
  if (settled === null) return []
  const slope = (looks: readonly Vitals[], of: (one: Vitals) => number) =>
    slopeOf(looks.map((one) => ({ at: one.at, value: of(one) }))) * 3_600
  const tells = atRest.length > 0
  const heapSlope = slope([...atRest, settled], ({ heapMb }) => heapMb)
  const warm = during.slice(Math.floor(during.length / 4))
  const afterWarmUp = median(warm.slice(0, Math.ceil(warm.length / 4)).map(({ heapMb }) => heapMb))
  return [
    {
      what: 'live heap with buffers at rest, slope after warm-up',
      found: tells ? `${heapSlope.toFixed(1)} MB/h` : 'not looked at',
      bound: tells ? `${heapMbPerHour} MB/h` : `${heapMbPerHour} MB/h, which so short a run cannot tell`,
      holds: tells ? heapSlope < heapMbPerHour : null,
    },
    {
      what: 'live heap with buffers once all have left',
      found: `${settled.heapMb.toFixed(1)} MB`,
      bound: `${afterWarmUp.toFixed(1)} MB after warm-up + ${settledMb}`,
      holds: settled.heapMb < afterWarmUp + settledMb,
    },
    {
      what: 'descriptors once all have left',
      found: `${settled.descriptors}`,
      bound: `${idle.descriptors} when idle + ${moreDescriptors}`,
      holds: settled.descriptors <= idle.descriptors + moreDescriptors,
    },
    {
      what: 'resident memory, slope after warm-up',
      found: `${slope(warm, ({ residentMb }) => residentMb).toFixed(1)} MB/h, ${settled.residentMb.toFixed(0)} MB at last`,
      bound: 'reported only: V8 keeps room that it had need of once',
      holds: null,
    },
    {
      what: 'event loop, longest hold-up',
      found: `${Math.max(...during.map(({ lagMs }) => lagMs)).toFixed(0)} ms`,
      bound: 'reported only: a locked database holds it up by a second',
      holds: null,
    },
    {
      what: 'engines',
      found: `${settled.engines.residentMb.toFixed(0)} MB, ${settled.engines.descriptors} descriptors`,
      bound: 'reported only: each killed engine is a new one',
      holds: null,
    },
  ]
}
