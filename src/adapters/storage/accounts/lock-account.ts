import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import { DomainError } from '../../../domain/core/errors.ts'
import { AccountEntity } from '../entities/accounts.ts'

/** Locks the row of an account until the transaction ends; false where the account was deleted. */
export async function lockAccount(em: SqlEntityManager, userId: number): Promise<boolean> {
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE } as const
  return (await em.findOne(AccountEntity, { id: userId, deletedAt: null }, locked)) !== null
}

/** Locks the row of an account. UNAUTHENTICATED where it was deleted after the request was admitted. */
export async function lockLiveAccount(em: SqlEntityManager, userId: number): Promise<void> {
  if (!(await lockAccount(em, userId))) throw new DomainError('UNAUTHENTICATED', 'This account was deleted.')
}
