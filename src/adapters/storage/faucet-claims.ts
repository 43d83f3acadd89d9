import { LockMode } from '@mikro-orm/core'
import type { Hex } from '../../domain/ports/chains.ts'
import type { FaucetClaim, FaucetClaims } from '../../domain/ports/faucet.ts'
import type { Database } from './database.ts'
import { FaucetAddressEntity, FaucetClaimEntity } from './entities/trading.ts'

/** Claims over the database; one address's claims are counted one after the other. */
export function openFaucetClaims(database: Database): FaucetClaims {
  return {
    async begin(claim, since, mostInAll) {
      const addressKey = claim.address.toLowerCase()
      await database.fork().upsert(FaucetAddressEntity, { addressKey }, { onConflictAction: 'ignore' })
      return await database.transaction(async (em) => {
        await em.findOneOrFail(FaucetAddressEntity, addressKey, { lockMode: LockMode.PESSIMISTIC_WRITE })
        const recent = { released: false, createdAt: { $gt: since } }
        const last = await em.findOne(FaucetClaimEntity, { ...recent, addressKey }, { orderBy: { createdAt: 'desc' } })
        if (last !== null) return { claimed: false, last: claimOf(last) }
        if ((await em.count(FaucetClaimEntity, recent)) >= mostInAll) return { claimed: false, last: 'cap' }
        await em.insert(FaucetClaimEntity, { ...claim, addressKey, amount: `${claim.amount}`, released: false })
        return { claimed: true }
      })
    },
    async find(id) {
      const row = await database.fork().findOne(FaucetClaimEntity, id)
      return row === null ? null : claimOf(row)
    },
    async release(id) {
      await database.fork().nativeUpdate(FaucetClaimEntity, { id }, { released: true })
    },
  }
}

function claimOf(row: { id: string; address: string; amount: string; createdAt: Date }): FaucetClaim {
  return { id: row.id, address: row.address as Hex, amount: BigInt(row.amount), createdAt: row.createdAt }
}
