import type { Database } from '../storage/connection/database.ts'
import { WorkerEntity } from '../storage/entities/sending.ts'
import type { Share } from './divided.ts'

const refreshMs = 1_000

/**
 * The place of this process among those of its database that live and serve callers, read each second. SQLite has one
 * process.
 */
export async function watchLiveProcesses(
  { dialect, holder, tables }: Database,
  roles: readonly string[],
): Promise<{ share(): Share } & Disposable> {
  let share: Share = { place: 0, of: 1 }
  if (dialect === 'sqlite') return { share: () => share, [Symbol.dispose]: () => undefined }
  await tables.update(WorkerEntity, { id: holder }, { roles: roles.join() })
  const read = async () => {
    const living = await tables.query<{ id: string }>(
      "select id from worker where until > now() and (roles is null or roles like '%gateway%') order by id",
    )
    const place = living.findIndex(({ id }) => id === holder)
    // A process whose heartbeat is late is one more.
    share = place === -1 ? { place: living.length, of: living.length + 1 } : { place, of: living.length }
  }
  await read()
  // While the database is away the last number holds.
  const timer = setInterval(() => void read().catch(() => undefined), refreshMs).unref()
  return { share: () => share, [Symbol.dispose]: () => clearInterval(timer) }
}
