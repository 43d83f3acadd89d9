import type { Ports } from '../ports/index.ts'

/**
 * Whether a text is the password of the account whose token was sent. Wrong ones are counted apart from those of logins:
 * strangers cannot use them up. RATE_LIMITED after too many.
 */
export async function isOwnPassword(
  { guesses, passwords }: Pick<Ports, 'guesses' | 'passwords'>,
  userId: number,
  hash: string | null,
  text: string,
): Promise<boolean> {
  const takeBack = await guesses.count(`account ${userId}`)
  const isRight = await passwords.verify('account', text, hash)
  if (isRight) await takeBack()
  return isRight
}
