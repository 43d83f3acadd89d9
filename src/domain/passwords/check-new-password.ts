import { invalid } from '../core/errors.ts'
import type { Passwords } from '../ports/accounts.ts'

/** INVALID_ARGUMENT, naming the field, for a new password that is guessed first: blank, or among the most common. */
export function checkNewPassword(passwords: Passwords, field: string, password: string): void {
  if (password.trim() === '') throw invalid(field, 'consists of spaces alone: choose words that nobody would guess')
  if (passwords.isCommon(password))
    throw invalid(field, 'is one of the 10,000 most common passwords, which are tried first: choose another')
}
