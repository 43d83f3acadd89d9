import type { Session, SessionUse } from '../../../domain/ports/accounts.ts'
import type { Database } from '../connection/database.ts'
import { SessionEntity, type SessionRow } from '../entities/accounts.ts'
import { sessionOf } from './session-rows.ts'

/** Milliseconds between two writes of what was noted. */
const writeMs = 60_000

/** Sessions whose use is remembered at most until it is written. Further ones are noted with their next request. */
const mostNoted = 50_000

type Noted = { expiresAt: Date; use: SessionUse | null }

/** Keeps the newest use of each session in memory, and writes it each minute. A failed write is made again. */
export function keepUses(database: Database) {
  const noted = new Map<string, Noted>()

  async function write(): Promise<void> {
    const due = [...noted]
    if (due.length === 0) return
    await database.transaction(async (tables) => {
      for (const [id, { expiresAt, use }] of due) {
        // Another process may have written a later one.
        const before = (column: 'expiresAt' | 'lastUsedAt', at: Date) => ({
          id,
          $or: [{ [column]: null }, { [column]: { $lt: at } }],
        })
        await tables.update(SessionEntity, before('expiresAt', expiresAt), { expiresAt })
        if (use === null) continue
        const used = { lastUsedAt: use.at, lastUsedProtocol: use.protocol, lastUsedAddress: use.address }
        await tables.update(SessionEntity, before('lastUsedAt', use.at), used)
      }
    })
    for (const [id, one] of due) if (noted.get(id) === one) noted.delete(id)
  }
  let timer: NodeJS.Timeout | null = null
  const writeLater = () => {
    timer ??= setTimeout(() => {
      timer = null
      void write()
        .catch(() => undefined)
        .then(() => (noted.size > 0 ? writeLater() : undefined))
    }, writeMs).unref()
  }

  return {
    note(id: string, expiresAt: Date, use?: SessionUse): void {
      const known = noted.get(id)
      if (known === undefined && noted.size >= mostNoted) return
      const newest = known !== undefined && known.expiresAt > expiresAt ? known.expiresAt : expiresAt
      noted.set(id, { expiresAt: newest, use: use ?? known?.use ?? null })
      writeLater()
    },
    /** A stored session with its newest use. */
    shown(row: SessionRow): Session {
      const session = sessionOf(row)
      const newest = noted.get(session.id)
      if (newest === undefined) return session
      const { expiresAt, use } = newest
      const isLater = session.expiresAt === null || expiresAt > session.expiresAt
      return { ...session, expiresAt: isLater ? expiresAt : session.expiresAt, lastUse: use ?? session.lastUse }
    },
    /** Ends the writing with what is still to be written. */
    async end(): Promise<void> {
      clearTimeout(timer ?? undefined)
      await write().catch(() => undefined)
    },
  }
}
