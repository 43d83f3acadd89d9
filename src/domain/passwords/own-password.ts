import type { Principal } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import { endSession } from '../sessions/end-session.ts'

export type OwnPasswordNeeds = 'executions' | 'passwords' | 'sessions'

/**
 * Whether a text is the password of the account whose token was sent. Wrong ones are counted apart from those of logins:
 * strangers cannot use them up. RATE_LIMITED after too many by a user token. Those of a session count for the session
 * alone, and the tenth ends it: its token may be in hands that should not have it.
 */
export async function isOwnPassword(
  ports: Pick<Ports, OwnPasswordNeeds>,
  { userId, sessionId }: Principal,
  hash: string | null,
  password: string,
): Promise<boolean> {
  const advice = 'If somebody else guesses it with a token of yours, end all tokens by auth.logoutEverywhere.'
  const { passwords } = ports
  const guess = { line: 'account', address: null, advice, password, hash } as const
  if (sessionId === null) return await passwords.verify({ ...guess, whose: `holder of account ${userId}` })
  const end = async () => void (await endSession(ports, { id: sessionId, userId }, 'too many wrong passwords'))
  return await passwords.verify({ ...guess, whose: `session ${sessionId}`, end })
}
