import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { Hex } from '../../domain/ports/chains.ts'
import type { Database } from './database.ts'
import { LaneEntity, WorkerEntity } from './entities/sending.ts'

/**
 * Takes the work of an account for this process, where no other living process has it. SQLite serves one process, which
 * has them all.
 */
export async function claimLane(database: Database, chainId: number, from: Hex): Promise<boolean> {
  if (database.dialect === 'sqlite') return true
  const sender = from.toLowerCase()
  return await database.transaction(async (em) => {
    await em.upsert(LaneEntity, { chainId, sender }, { onConflictAction: 'ignore' })
    const alive = await livingWorkers(em)
    const free = { $or: [{ holder: null }, { holder: database.holder }, { holder: { $nin: alive } }] }
    return (await em.nativeUpdate(LaneEntity, { chainId, sender, ...free }, { holder: database.holder })) > 0
  })
}

export async function releaseLane(database: Database, chainId: number, from: Hex): Promise<void> {
  if (database.dialect === 'sqlite') return
  const mine = { chainId, sender: from.toLowerCase(), holder: database.holder }
  await database.fork().nativeUpdate(LaneEntity, mine, { holder: null })
}

/** The processes that said lately that they are alive. */
export async function livingWorkers(em: SqlEntityManager): Promise<string[]> {
  const rows = await em.find(WorkerEntity, { until: { $gt: new Date() } })
  return rows.map(({ id }) => id)
}

/** A process that was silent for so long is dead: well below the seconds in which its work is to be taken up. */
const silenceMs = 3_000

/** Says each second that the process is alive; the function that it answers ends that, and its leases with it. */
export async function startHeartbeat(database: Database): Promise<() => Promise<void>> {
  const beat = async () => {
    const until = new Date(Date.now() + silenceMs)
    await database.fork().upsert(WorkerEntity, { id: database.holder, until })
  }
  await beat()
  const timer = setInterval(() => void beat().catch(() => undefined), 1_000).unref()
  return async () => {
    clearInterval(timer)
    await database.fork().nativeDelete(WorkerEntity, { id: database.holder })
    await database.fork().nativeDelete(WorkerEntity, { until: { $lt: new Date(Date.now() - 3_600_000) } })
  }
}
