import { median } from '../percentiles.ts'
import { slopeOf } from './trend.ts'
import type { Vitals } from './vitals.ts'

/** What a gateway held before, during and after the traffic; garbage is collected before each look. */
export type Looks = { idle: Vitals; during: readonly Vitals[]; settled: Vitals }

export type Judgement = { what: string; found: string; bound: string; holds: boolean | null }

/** Code is compiled and caches fill at first: those of tokens, prices and answers of providers reach their size by then. */
const warmUpShare = 0.25
/** A slope of fewer looks, or of less time, tells of single requests and not of a leak. */
const leastLooks = 20
const leastSeconds = 300

/**
 * What stays in the live heap for good grows with the work: 60 MB an hour are a kilobyte for each of 17 requests a
 * second. The engine goes on compiling for a while, and a look differs from the next by a megabyte or two of what is
 * under way, which together made up to half of that slope on a busy machine.
 */
const heapMbPerHour = 60
/** Of code that was compiled since, and caches that time empties; ten minutes of a leak at the bound above come to 7.5. */
const settledMb = 10
/** Connections to providers and engines, which the gateway keeps for a while and opens as it needs them. */
const moreDescriptors = 8

/** Holds the looks against the bounds; what a short run cannot tell is left open. */
export function judge({ idle, during, settled }: Looks): Judgement[] {
  const last = during.at(-1)?.at ?? 0
  const first = during[0]?.at ?? 0
  const warm = during.filter(({ at }) => at >= first + (last - first) * warmUpShare)
  const tells = warm.length >= leastLooks && last - first >= leastSeconds
  const slope = (of: (one: Vitals) => number) => slopeOf(warm.map((one) => ({ at: one.at, value: of(one) }))) * 3_600
  const heapSlope = slope(({ heapMb }) => heapMb)
  const afterWarmUp = median(warm.slice(0, Math.ceil(warm.length / 4)).map(({ heapMb }) => heapMb))
  return [
    {
      what: 'live heap with buffers, slope after warm-up',
      found: `${heapSlope.toFixed(1)} MB/h`,
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
      found: `${slope(({ residentMb }) => residentMb).toFixed(1)} MB/h, ${settled.residentMb.toFixed(0)} MB at last`,
      bound: 'told only: V8 keeps room that it had need of once',
      holds: null,
    },
    {
      what: 'event loop, longest hold-up',
      found: `${Math.max(...during.map(({ lagMs }) => lagMs)).toFixed(0)} ms`,
      bound: 'told only: a locked database holds it up by a second',
      holds: null,
    },
    {
      what: 'engines',
      found: `${settled.engines.residentMb.toFixed(0)} MB, ${settled.engines.descriptors} descriptors`,
      bound: 'told only: each killed engine is a new one',
      holds: null,
    },
  ]
}
