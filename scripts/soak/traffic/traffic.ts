import type { Numbers, SoakWorld } from '../world.ts'

/** A kind of traffic: prepared once, then repeated. */
export type Traffic = {
  name: string
  /** Milliseconds between two rounds. */
  pauseMs: number
  begin(world: SoakWorld, numbers: Numbers): Promise<Work>
}

export type Work = {
  round(): Promise<void>
  /** The check after the traffic; throws where it fails. */
  settled?(): Promise<void>
  /** The check of the gateway that was restarted after a kill. */
  restarted?(world: SoakWorld): Promise<void>
}
