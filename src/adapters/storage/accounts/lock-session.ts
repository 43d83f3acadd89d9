import type { Tables } from '../connection/tables.ts'
import { SessionEntity } from '../entities/accounts.ts'

/** Locks the row of a session until the transaction ends; false where it was deleted. Null, of earlier versions, is none. */
export async function lockSession(tables: Tables, sessionId: string | null | undefined): Promise<boolean> {
  if (sessionId == null) return true
  return (await tables.findOne(SessionEntity, { id: sessionId }, { lock: 'update', fields: ['id'] } as const)) !== null
}
