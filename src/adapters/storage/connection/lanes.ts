import type { Hex } from '../../../domain/ports/chains.ts'
import { statesBeforeNonce } from '../../../domain/ports/moves.ts'
import { LaneEntity } from '../entities/sending.ts'
import type { Database } from './database.ts'
import { quoted } from './reads.ts'

/**
 * A process that has been dead for so long stays so: what it began and sent nothing of is given up. One that was only busy
 * is not robbed of a request that it still answers.
 */
const grace = "interval '10 seconds'"

/** Who is alive, for a statement of PostgreSQL: by its clock alone, for those of the machines may differ. */
const living = 'select id from worker where until > now()'
export const perhapsLiving = `${living} - ${grace}`

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

async function run(database: Database, sql: string, parameters: (string | number)[]) {
  return await database.fork().getConnection().execute<{ affectedRows: number }>(sql, parameters, 'run')
}
