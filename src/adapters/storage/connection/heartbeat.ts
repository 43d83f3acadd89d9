import type { SqlEntityManager } from '@mikro-orm/sqlite'

/** A process without a heartbeat for this time counts as dead, so that others soon continue its work. */
const silence = "interval '3 seconds'"

/** The name of the process, and its PostgreSQL database. */
type Process = { holder: string; fork(): SqlEntityManager }

/**
 * Records each second that the process is alive. Returns a function that stops this and releases the process's locks.
 */
export async function startHeartbeat({ holder, fork }: Process): Promise<() => Promise<void>> {
  const run = async (sql: string) => await fork().getConnection().execute(sql, [holder], 'run')
  const beat = async () => {
    await run(`insert into worker (id, until) values (?, now() + ${silence})
      on conflict (id) do update set until = excluded.until`)
  }
  await beat()
  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = Promise.allSettled([running, beat()]).then(() => undefined)
  }, 1_000).unref()
  return async () => {
    clearInterval(timer)
    await running // a heartbeat after the deletion would mark a closed process as alive
    await run("delete from worker where id = ? or until < now() - interval '1 hour'")
  }
}
