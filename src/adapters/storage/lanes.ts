import type { Hex } from '../../domain/ports/chains.ts'
import { statesBeforeNonce } from '../../domain/ports/moves.ts'
import type { Database } from './database.ts'
import { LaneEntity } from './entities/sending.ts'
import { quoted } from './reads.ts'

/** A process that was silent for so long is dead: well below the seconds in which its work is to be taken up. */
const silence = "interval '3 seconds'"

/**
 * A process that was silent for so much longer stays so: what it began and sent nothing of is given up. One that was
 * only busy is not robbed of a request that it still answers.
 */
const grace = "interval '10 seconds'"

/** Who is alive, for a statement of PostgreSQL: by its clock alone, for those of the machines may differ. */
const living = 'select id from worker where until > now()'
const perhapsLiving = `${living} - ${grace}`

/**
 * Takes the work of an account for this process, where no other living process has it. SQLite serves one process, which
 * has them all.
 */
export async function claimLane(database: Database, chainId: number, from: Hex): Promise<boolean> {
  if (database.dialect === 'sqlite') return true
  const [sender, { holder }] = [from.toLowerCase(), database]
  const claim = async () => {
    const sql = `update lane set holder = ? where chain_id = ? and sender = ?
      and (holder is null or holder = ? or holder not in (${living}))`
    const { affectedRows } = await run(database, sql, [holder, chainId, sender, holder])
    return affectedRows > 0
  }
  if (await claim()) return true
  if ((await database.fork().count(LaneEntity, { chainId, sender })) > 0) return false
  await database.fork().upsert(LaneEntity, { chainId, sender }, { onConflictAction: 'ignore' })
  return await claim()
}

export async function releaseLane(database: Database, chainId: number, from: Hex): Promise<void> {
  if (database.dialect === 'sqlite') return
  const mine = { chainId, sender: from.toLowerCase(), holder: database.holder }
  await database.fork().nativeUpdate(LaneEntity, mine, { holder: null })
}

/** Ids of the executions that processes left without a nonce which are dead by now, this one apart. */
export function abandonedByDead(database: Database): (after: string, limit: number) => Promise<{ id: string }[]> {
  if (database.dialect === 'sqlite') return async () => []
  // One statement: a process that says it is alive and begins a trade between two of them would look dead.
  const read = database.hotRead<{ id: string }>(
    'abandoned_by_dead',
    `select id from execution where state in (${quoted(statesBeforeNonce)}) and id > ? and holder <> ?
       and holder not in (${perhapsLiving}) order by id limit ?`,
  )
  return async (after, limit) => await read(after, database.holder, limit)
}

/** Says each second that the process is alive; the function that it answers ends that, and its leases with it. */
export async function startHeartbeat(database: Database): Promise<() => Promise<void>> {
  const beat = async () => {
    const sql = `insert into worker (id, until) values (?, now() + ${silence})
      on conflict (id) do update set until = excluded.until`
    await run(database, sql, [database.holder])
  }
  await beat()
  let under: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    under = Promise.allSettled([under, beat()]).then(() => undefined)
  }, 1_000).unref()
  return async () => {
    clearInterval(timer)
    await under // one that came after the deletion would call a closed process alive
    await run(database, "delete from worker where id = ? or until < now() - interval '1 hour'", [database.holder])
  }
}

async function run(database: Database, sql: string, parameters: (string | number)[]) {
  return await database.fork().getConnection().execute<{ affectedRows: number }>(sql, parameters, 'run')
}
