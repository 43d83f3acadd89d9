import type { Numbers, SoakWorld } from '../world.ts'

/** A kind of use: prepared once, then done again and again. */
export type Traffic = {
  name: string
  /** Milliseconds from one round to the next. */
  pauseMs: number
  begin(world: SoakWorld, numbers: Numbers): Promise<Work>
}

export type Work = {
  round(): Promise<void>
  /** What must hold once all is quiet; throws where it does not. */
  settled?(): Promise<void>
  /** What must hold in the gateway that was started anew after a kill. */
  restarted?(world: SoakWorld): Promise<void>
}
