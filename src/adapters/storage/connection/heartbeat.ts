import type { SqlEntityManager } from '@mikro-orm/sqlite'

/**
 * A process without a heartbeat for this long is dead. It must be well below the time in which its work has to be
 * resumed.
 */
const silence = "interval '3 seconds'"

/** The name of the process, and the PostgreSQL connection. */
type Process = { holder: string; fork(): SqlEntityManager }

/** Renews the heartbeat each second. The returned function stops it and releases the locks of the process. */
export async function startHeartbeat({ holder, fork }: Process): Promise<() => Promise<void>> {
  const run = async (sql: string) => await fork().getConnection().execute(sql, [holder], 'run')
  const beat = async () => {
    await run(`insert into worker (id, until) values (?, now() + ${silence})
      on conflict (id) do update set until = excluded.until`)
  }
  await beat()
  let under: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    under = Promise.allSettled([under, beat()]).then(() => undefined)
  }, 1_000).unref()
  return async () => {
    clearInterval(timer)
    await under // a heartbeat after the deletion would make a closed process look alive
    await run("delete from worker where id = ? or until < now() - interval '1 hour'")
  }
}
