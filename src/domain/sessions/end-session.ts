import type { Ports } from '../ports/index.ts'

/**
 * Ends a session, and the trades of it that wait for the account; false for an unknown one. `why` is given where its owner
 * did not wish it, for the audit log.
 */
export async function endSession(
  { executions, sessions }: Pick<Ports, 'executions' | 'sessions'>,
  { id, userId }: { id: string; userId: number },
  why?: string,
): Promise<boolean> {
  if (!(await sessions.delete(id, why))) return false
  const reason = why === undefined ? 'deleted' : `ended: ${why}`
  await executions.endWaiting({ userId, sessionId: id }, `The session that requested the trade was ${reason}.`)
  return true
}
