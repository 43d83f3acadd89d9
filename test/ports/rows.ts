import { openAccounts } from '../../src/adapters/storage/accounts/accounts.ts'
import { openSessions } from '../../src/adapters/storage/accounts/sessions.ts'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import type { Hex } from '../../src/domain/ports/chains.ts'

export const at = new Date('2026-03-01T10:00:00.123Z')

/** A wallet with an address made from a number. */
export function walletOf(number: number, ref = 'default') {
  return { ref, address: `0x${number.toString(16).padStart(39, '0')}A` as Hex, sealedKey: `sealed ${number}` }
}

/** An account with its default wallet; returns its id. */
export async function addAccount(database: Database, number = 1): Promise<number> {
  const email = `user${number}@example.com`
  const fields = { email, passwordHash: 'hash', wallet: () => walletOf(number), funding: 'wanted', at } as const
  const account = await openAccounts(database).create(fields)
  if (account === null) throw new Error(`${email} is taken`)
  return account.id
}

/** A session of an account; returns its id. */
export async function addSession(database: Database, userId: number): Promise<string> {
  const id = crypto.randomUUID()
  await openSessions(database).create({ id, userId, name: '', createdAt: at, grant: null }, 50)
  return id
}
