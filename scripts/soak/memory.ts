import { median } from '../percentiles.ts'
import type { Vitals } from './life.ts'

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
  const tells = atRest.length > 0
  const heapSlope = slopeOf([...atRest, settled].map(({ at, heapMb }) => ({ at, value: heapMb }))) * 3_600
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
  ]
}

type Point = { at: number; value: number }

/** The median of the slopes between all pairs of points (Theil and Sen): a few odd points do not move it. */
export function slopeOf(points: readonly Point[]): number {
  const slopes = points.flatMap((one, index) =>
    points.slice(index + 1).map((other) => (other.value - one.value) / (other.at - one.at)),
  )
  return median(slopes.filter(Number.isFinite))
}
