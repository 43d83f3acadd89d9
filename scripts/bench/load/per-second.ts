import type { Measured } from '../figures.ts'
import type { Load } from './load.ts'

/** A load generator that was busy for more than this share of the time is at its own limit. */
const mostBusy = 0.9

/** Responses per second of each round. A lower bound where the load generator was at its limit in most rounds. */
export function perSecondOf(loads: readonly Load[]): Measured {
  const atItsEnd = loads.filter(({ busy }) => busy > mostBusy)
  return { rounds: loads.map(({ perSecond }) => perSecond), atLeast: atItsEnd.length * 2 > loads.length }
}
