import { setTimeout as pause } from 'node:timers/promises'
import { type Hints, unsynced } from './hints.ts'
import type { Tables } from './tables.ts'

/** A process without a heartbeat for this time counts as dead, so that others soon continue its work. */
const leaseMs = 2_000
const beatMs = 500
/** How long the connection for hints has for an answer before another one says that the process lives. */
const answerMs = 400

/** The name of the process, and its PostgreSQL database. */
type Process = { holder: string; tables: Pick<Tables, 'run'> }

export type Heartbeat = {
  /** False while this process, or its way to the database, stood still or began lately: then others may have stood still. */
  isSteady(): boolean
  /** Stops the heartbeat and releases the process's locks. */
  stop(): Promise<void>
}

/**
 * Records twice a second that the process is alive, over the connection for hints, where no work of the process makes it
 * wait; over the pool where that one is lost or silent.
 */
export async function startHeartbeat({ holder, tables }: Process, hints: Pick<Hints, 'run'>): Promise<Heartbeat> {
  let beatenAt = performance.now()
  let steadyAt = beatenAt // what was before this process started, it does not know
  const alive = (mark: string) => `insert into worker (id, until)
    select ${mark}, now() + interval '${leaseMs} ms' from ${unsynced} on conflict (id) do update set until = excluded.until`
  const beatOverPool = async () => await tables.run(alive('?'), holder)
  let answering: Promise<boolean> | null = null
  const beatOverHints = async () => {
    if (answering !== null) return false // it is still silent
    answering = hints.run('alive', alive('$1'), holder).then(
      () => true,
      () => false,
    )
    void answering.then(() => {
      answering = null
    })
    return await Promise.race([answering, pause(answerMs, false, { ref: false })])
  }
  const beat = async () => {
    if (!(await beatOverHints())) await beatOverPool()
    const now = performance.now()
    if (now - beatenAt > leaseMs / 2) steadyAt = now
    beatenAt = now
  }
  await beatOverPool()
  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = Promise.allSettled([running, beat()]).then(() => undefined)
  }, beatMs).unref()
  return {
    isSteady: () => {
      const now = performance.now()
      return now - beatenAt <= leaseMs / 2 && now - steadyAt >= leaseMs
    },
    async stop() {
      clearInterval(timer)
      await Promise.all([running, answering]) // a heartbeat after the deletion would mark a closed process as alive
      await tables.run("delete from worker where id = ? or until < now() - interval '1 hour'", holder)
    },
  }
}
