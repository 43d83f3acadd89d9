import type { Hex } from '../../../domain/ports/chains.ts'
import { statesBeforeNonce } from '../../../domain/ports/moves.ts'
import { AccountLockEntity } from '../entities/sending.ts'
import type { Database } from './database.ts'
import { quoted } from './reads.ts'

/**
 * After this time a process counts as dead for good: executions that it accepted and did not send are discarded. The
 * delay protects requests of a process that was only busy.
 */
const grace = "interval '10 seconds'"

/** The living processes, in SQL of PostgreSQL and by its clock only, because clocks of machines differ. */
const living = 'select id from worker where until > now()'
export const perhapsLiving = `${living} - ${grace}`

/**
 * Locks an account for this process, unless another living process holds the lock (W3). SQLite serves one process,
 * which always gets it.
 */
export async function lockAccount(database: Database, chainId: number, from: Hex): Promise<boolean> {
  if (database.dialect === 'sqlite') return true
  const [sender, { holder }] = [from.toLowerCase(), database]
  const lock = async () => {
    const sql = `update lane set holder = ? where chain_id = ? and sender = ?
      and (holder is null or holder = ? or holder not in (${living}))`
    const { affectedRows } = await run(database, sql, [holder, chainId, sender, holder])
    return affectedRows > 0
  }
  if (await lock()) return true
  if ((await database.fork().count(AccountLockEntity, { chainId, sender })) > 0) return false
  await database.fork().upsert(AccountLockEntity, { chainId, sender }, { onConflictAction: 'ignore' })
  return await lock()
}

export async function unlockAccount(database: Database, chainId: number, from: Hex): Promise<void> {
  if (database.dialect === 'sqlite') return
  const mine = { chainId, sender: from.toLowerCase(), holder: database.holder }
  await database.fork().nativeUpdate(AccountLockEntity, mine, { holder: null })
}

/** Ids of executions without a nonce that dead processes left. */
export function abandonedByDead(database: Database): (after: string, limit: number) => Promise<{ id: string }[]> {
  if (database.dialect === 'sqlite') return async () => []
  // One statement: between two, a process could come to life and accept a trade, and would look dead.
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
