import type { Ports } from '../ports/index.ts'

/**
 * Whether a text is the password of the account whose token was sent. Wrong ones are counted apart from those of logins:
 * strangers cannot use them up. RATE_LIMITED after too many.
 */
export async function isOwnPassword(
  { passwords }: Pick<Ports, 'passwords'>,
  userId: number,
  hash: string | null,
  password: string,
): Promise<boolean> {
  const advice = 'If somebody else guesses it with a token of yours, end all tokens by auth.logoutEverywhere.'
  const guess = { line: 'account', whose: `holder of account ${userId}`, address: null, advice } as const
  return await passwords.verify({ ...guess, password, hash })
}
