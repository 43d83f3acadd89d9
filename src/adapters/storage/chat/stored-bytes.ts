import { DomainError } from '../../../domain/core/errors.ts'
import type { Message } from '../../../domain/ports/conversations.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { Tables } from '../connection/tables.ts'
import { SessionEntity, type SessionRow } from '../entities/accounts.ts'

/** What a row takes besides its texts, with its place in the indexes. */
const rowBytes = 100

/** Bytes that rows with these texts take, about. */
export function bytesOf(rows: readonly { content: string; facts?: string | null | undefined }[]): number {
  return rows.reduce(
    (sum, { content, facts }) => sum + rowBytes + Buffer.byteLength(content) + Buffer.byteLength(facts ?? ''),
    0,
  )
}

/**
 * Throws STORAGE_FULL where the messages do not fit into what the account may keep, and names its largest session. Call it
 * before the session is locked: the account is locked first, so that simultaneous messages count each other.
 */
export async function refuseWhereStorageFull(
  tables: Tables,
  sessionId: string,
  messages: readonly Message[],
  mostBytes: number,
): Promise<void> {
  const session = await tables.findOne(SessionEntity, sessionId, { fields: ['userId'] })
  if (session === null) return
  const { userId } = session
  if (!(await lockAccount(tables, Number(userId)))) return
  const page = { fields: ['id', 'storedBytes'], orderBy: { storedBytes: 'desc' } } as const
  const sessions = await tables.find(SessionEntity, { userId }, page)
  const kept = sessions.reduce((sum, { storedBytes }) => sum + storedBytes, 0)
  if (kept + bytesOf(messages) > mostBytes) throw storageFull(sessions[0], kept, mostBytes)
}

function storageFull(largest: Pick<SessionRow, 'id' | 'storedBytes'> | undefined, kept: number, most: number) {
  const megabytes = (bytes: number) => (bytes / 1_048_576).toFixed(1)
  const advice =
    largest === undefined || largest.storedBytes === 0
      ? 'Send a shorter message.'
      : `Delete a session (auth.deleteSession), or its history (chat.clear, with a token of that session); the largest is ${largest.id} with ${megabytes(largest.storedBytes)} MiB.`
  const message = `This message does not fit: the chats of your account take ${megabytes(kept)} of ${megabytes(most)} MiB. ${advice}`
  return new DomainError('STORAGE_FULL', message, { metadata: { stored_bytes: `${kept}`, limit_bytes: `${most}` } })
}
