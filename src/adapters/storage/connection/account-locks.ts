import type { Hex } from '../../../domain/ports/chains.ts'
import { statesBeforeNonce } from '../../../domain/ports/moves.ts'
import type { Workers } from '../../../domain/ports/outbox.ts'
import { AccountLockEntity } from '../entities/sending.ts'
import type { Database } from './database.ts'
import { type Lease, LeaseLost } from './fences.ts'
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

/** The name of the lease on a chain as a whole, beside those on its accounts. */
const wholeChain = 'watch'

/**
 * Takes the lease of an account or a chain for this process, unless another living process holds it (W3). Its number grows
 * whenever it is taken. SQLite serves a single process.
 */
async function take(database: Database, chainId: number, name: string): Promise<boolean> {
  if (database.dialect === 'sqlite') return true
  // Under no other lease: that one may be lost meanwhile.
  return await database.fenced(null, () => takeLane(database, chainId, name))
}

async function takeLane(database: Database, chainId: number, name: string): Promise<boolean> {
  const [sender, { holder, leases, tables }] = [name.toLowerCase(), database]
  const tryOnce = async () => {
    const sql = `update lane set holder = ?, fence = case when holder = ? then fence else fence + 1 end
      where chain_id = ? and sender = ? and (holder is null or holder = ? or holder not in (${living})) returning fence`
    const [row] = await tables.query<{ fence: number | string }>(sql, holder, holder, chainId, sender, holder)
    if (row === undefined) return false
    leases.set(`${chainId} ${sender}`, { chainId, sender, holder, number: Number(row.fence), isOver: false })
    return true
  }
  if (await tryOnce()) return true
  if ((await tables.count(AccountLockEntity, { chainId, sender })) > 0) return false
  await tables.upsert(AccountLockEntity, { chainId, sender }, 'ignore')
  return await tryOnce()
}

/** Locks an account for this process, unless another living process holds it. */
export async function lockAccount(database: Database, chainId: number, from: Hex): Promise<boolean> {
  return await take(database, chainId, from)
}

/** Releases the lease of an account; at the next look at the watch where the database is away now. */
export async function unlockAccount(database: Database, chainId: number, from: Hex): Promise<void> {
  if (database.dialect === 'sqlite') return
  const lease = database.leases.get(`${chainId} ${from.toLowerCase()}`)
  if (lease !== undefined) await release(database, lease)
}

/** No other process takes a lease from one that lives, so a lease that could not be released is kept to be released later. */
async function release(database: Database, lease: Lease): Promise<void> {
  const { chainId, sender, holder, number } = lease
  const { leases, tables } = database
  const key = `${chainId} ${sender}`
  leases.set(key, { ...lease, isOver: true })
  const free = () => tables.update(AccountLockEntity, { chainId, sender, holder, fence: number }, { holder: null })
  const isFree = await database.fenced(null, free).then(
    () => true,
    () => false,
  )
  if (isFree && leases.get(key)?.isOver === true) leases.delete(key)
}

const topicOf = (chainId: number) => `work:${chainId}`

/** How the processes of a database share their work, by leases whose number is checked at every write. */
export function openWorkers(database: Database): Workers {
  const { dialect, fenced, holder, leases, signals } = database
  const under = async <T>(chainId: number, name: string, work: () => Promise<T>) => {
    const lease = leases.get(`${chainId} ${name.toLowerCase()}`) ?? null
    if ((lease === null || lease.isOver) && dialect === 'postgresql') throw new LeaseLost()
    return await fenced(lease, work)
  }
  /** Reads before it writes, because all processes look often. */
  const isFree = queryOf<{ free: boolean }>(
    database,
    `select holder is null or holder not in (${living}) as free from lane where chain_id = ? and sender = ? and holder is distinct from ?`,
  )
  return {
    async watches(chainId) {
      if (dialect === 'sqlite') return true
      for (const lease of [...leases.values()].filter(({ isOver }) => isOver)) await release(database, lease)
      const [other] = await isFree(chainId, wholeChain, holder)
      if (other === undefined && leases.has(`${chainId} ${wholeChain}`)) return true
      return other?.free === false ? false : await take(database, chainId, wholeChain)
    },
    asWatcher: (chainId, work) => under(chainId, wholeChain, work),
    asHolder: (chainId, from, work) => under(chainId, from, work),
    async isManned() {
      if (dialect === 'sqlite') return true
      const sql = `select 1 from worker where until > now() and (roles is null or roles like '%worker%') limit 1`
      return (await database.tables.query(sql)).length > 0
    },
    wake: (chainId) => signals.notify(topicOf(chainId)),
    onWake: (chainId, listener) => signals.listen(topicOf(chainId), listener),
  }
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
