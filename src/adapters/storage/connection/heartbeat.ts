import type { SqlEntityManager } from '@mikro-orm/sqlite'

/** A process that was silent for so long is dead: well below the seconds in which its work is to be taken up. */
const silence = "interval '3 seconds'"

/** The process by its name, and the PostgreSQL it works on. */
type Process = { holder: string; fork(): SqlEntityManager }

/** Says each second that the process is alive; the function that it answers ends that, and its leases with it. */
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
    await under // one that came after the deletion would call a closed process alive
    await run("delete from worker where id = ? or until < now() - interval '1 hour'")
  }
}
