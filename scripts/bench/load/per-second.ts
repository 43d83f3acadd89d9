import type { Measured } from '../figures.ts'
import type { Load } from './load.ts'

/** Whoever asks is at its end where it worked more than this part of the time. */
const mostBusy = 0.9

/** Answers a second of each round; at least so many where whoever asked could not have asked more in most rounds. */
export function perSecondOf(loads: readonly Load[]): Measured {
  const atItsEnd = loads.filter(({ busy }) => busy > mostBusy)
  return { rounds: loads.map(({ perSecond }) => perSecond), atLeast: atItsEnd.length * 2 > loads.length }
}
