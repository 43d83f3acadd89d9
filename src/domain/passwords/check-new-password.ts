import { invalid } from '../core/errors.ts'
import type { Passwords } from '../ports/accounts.ts'

/** INVALID_ARGUMENT, naming the field, for a new password that is guessed first. */
export async function checkNewPassword(passwords: Passwords, field: string, password: string, email: string) {
  if (password.trim() === '') throw invalid(field, 'consists of spaces alone: choose words that nobody would guess')
  if (await passwords.isGuessedFirst(password, email))
    throw invalid(
      field,
      'is one of the 10,000 passwords that are guessed first (common ones, simple patterns, your e-mail): choose another',
    )
}
