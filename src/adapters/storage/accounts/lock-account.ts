import { DomainError } from '../../../domain/core/errors.ts'
import type { Tables } from '../connection/tables.ts'
import { AccountEntity } from '../entities/accounts.ts'

/** Locks the row of an account until the transaction ends; false where the account was deleted. */
export async function lockAccount(tables: Tables, userId: number): Promise<boolean> {
  const locked = { lock: 'update' } as const
  return (await tables.findOne(AccountEntity, { id: userId, deletedAt: null }, locked)) !== null
}

/** Locks the row of an account. UNAUTHENTICATED where it was deleted after the request was admitted. */
export async function lockLiveAccount(tables: Tables, userId: number): Promise<void> {
  if (!(await lockAccount(tables, userId))) throw new DomainError('UNAUTHENTICATED', 'This account was deleted.')
}
