import { numbersOf, pause, type SoakWorld } from '../world.ts'
import { callsAreCut, halfOpen, slowReaders } from './callers.ts'
import { databaseLocked, engineDies, exchangeBreaks, providerFails } from './environment.ts'
import type { Fault, Windows } from './windows.ts'

/** Faults of the gateway's environment, injected one after another in a loop. */
const inTurn: readonly Fault[] = [
  callsAreCut,
  engineDies('chain'),
  providerFails,
  databaseLocked,
  exchangeBreaks,
  engineDies('chain/parent'),
  providerFails,
]
/** Runs all the time next to the faults: callers that hold resources which they should release. */
const heldOn: readonly Fault[] = [halfOpen, slowReaders]

/** Injects faults until the soak is over; returns once everything has recovered. */
export async function injectFaults(world: SoakWorld, windows: Windows, pauseMs: number): Promise<void> {
  const lane = async (name: string, faults: readonly Fault[]) => {
    const numbers = numbersOf(world, name)
    for (let turn = 0; !world.over.aborted; turn += 1) {
      await pause(world, pauseMs)
      const fault = faults[turn % faults.length]
      if (world.over.aborted || fault === undefined) return
      await world.turnstile
        .pass(() => fault({ world, windows, numbers }))
        .catch((error: unknown) => {
          world.outcomes.broken(`a fault could not be injected, or did not heal: ${error}`)
        })
    }
  }
  await Promise.all([
    lane('faults in turn', inTurn),
    ...heldOn.map((fault, index) => lane(`held on ${index}`, [fault])),
  ])
}
