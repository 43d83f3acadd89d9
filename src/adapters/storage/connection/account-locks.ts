import type { Hex } from '../../../domain/ports/chains.ts'
import { statesBeforeNonce } from '../../../domain/ports/moves.ts'
import { AccountLockEntity } from '../entities/sending.ts'
import type { Database } from './database.ts'
import { quoted } from './sql.ts'
import { queryOf } from './tables.ts'

/**
 * How long a process must be dead before its executions without a nonce are discarded and its answers are failed. The
 * delay protects a process that was only too busy to report that it is alive.
 */
const grace = "interval '10 seconds'"

/**
 * PostgreSQL query for the living processes. It uses the clock of the database alone, because clocks of machines
 * differ.
 */
const living = 'select id from worker where until > now()'
/** The living processes, and those that died less than `grace` ago. */
export const perhapsLiving = `${living} - ${grace}`

/** Locks an account for this process, unless another living process holds it (W3). SQLite serves a single process. */
export async function lockAccount(database: Database, chainId: number, from: Hex): Promise<boolean> {
  if (database.dialect === 'sqlite') return true
  const [sender, { holder }] = [from.toLowerCase(), database]
  const lock = async () => {
    const sql = `update lane set holder = ? where chain_id = ? and sender = ?
      and (holder is null or holder = ? or holder not in (${living}))`
    return (await database.tables.run(sql, holder, chainId, sender, holder)) > 0
  }
  if (await lock()) return true
  if ((await database.tables.count(AccountLockEntity, { chainId, sender })) > 0) return false
  await database.tables.upsert(AccountLockEntity, { chainId, sender }, 'ignore')
  return await lock()
}

export async function unlockAccount(database: Database, chainId: number, from: Hex): Promise<void> {
  if (database.dialect === 'sqlite') return
  const mine = { chainId, sender: from.toLowerCase(), holder: database.holder }
  await database.tables.update(AccountLockEntity, mine, { holder: null })
}

/** Ids of executions without a nonce whose process is another one and dead. */
export function abandonedByDead(database: Database): (after: string, limit: number) => Promise<{ id: string }[]> {
  if (database.dialect === 'sqlite') return async () => []
  // One statement: between two, a process could come alive and begin a trade, which would then look abandoned.
  const read = queryOf<{ id: string }>(
    database,
    `select id from execution where state in (${quoted(statesBeforeNonce)}) and id > ? and holder <> ?
       and holder not in (${perhapsLiving}) order by id limit ?`,
  )
  return async (after, limit) => await read(after, database.holder, limit)
}
