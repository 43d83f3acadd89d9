import { type Hints, unsynced } from './hints.ts'
import type { Tables } from './tables.ts'

/** A process without a heartbeat for this time counts as dead, so that others soon continue its work. */
const leaseMs = 2_000
const beatMs = 500

/** The name of the process, and its PostgreSQL database. */
type Process = { holder: string; tables: Pick<Tables, 'run'> }

export type Heartbeat = {
  /** False while this process, or its way to the database, stood still lately: then others may have stood still too. */
  isSteady(): boolean
  /** Stops the heartbeat and releases the process's locks. */
  stop(): Promise<void>
}

/**
 * Records twice a second that the process is alive, over the connection for hints, where no work of the process makes it
 * wait, else over the pool.
 */
export async function startHeartbeat({ holder, tables }: Process, hints: Pick<Hints, 'run'>): Promise<Heartbeat> {
  let beatenAt = performance.now()
  let steadyAt = beatenAt - leaseMs
  const alive = (mark: string) => `insert into worker (id, until)
    select ${mark}, now() + interval '${leaseMs} ms' from ${unsynced} on conflict (id) do update set until = excluded.until`
  const beatOverPool = async () => await tables.run(alive('?'), holder)
  const beat = async () => {
    await hints.run('alive', alive('$1'), holder).catch(beatOverPool)
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
      await running // a heartbeat after the deletion would mark a closed process as alive
      await tables.run("delete from worker where id = ? or until < now() - interval '1 hour'", holder)
    },
  }
}
