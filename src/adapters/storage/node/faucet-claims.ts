import type { Hex } from '../../../domain/ports/chains.ts'
import type {
  ClaimRefusal,
  ClaimState,
  FaucetClaim,
  FaucetClaims,
  FaucetRules,
  StoredClaim,
} from '../../../domain/ports/faucet.ts'
import type { Database } from '../connection/database.ts'
import type { Tables } from '../connection/tables.ts'
import { FaucetClaimEntity, type FaucetClaimRow, FaucetDayEntity, type FaucetDayRow } from '../entities/faucet.ts'

/**
 * Claims in the database. They are counted one after the other under a lock on the row that sums the payments of the
 * day.
 */
export function openFaucetClaims(database: Database): FaucetClaims {
  /** Runs the work in one transaction with the row locked. The first claim creates the row. */
  async function counted<T>(day: string, work: (tables: Tables, today: Day) => Promise<T>): Promise<T> {
    await database.tables.upsert(FaucetDayEntity, { id: only, day: '', paid: '0' }, 'ignore')
    return await database.transaction(async (tables) => await work(tables, await lockDay(tables, day)))
  }

  async function one(where: { id: string } | { hash: string }): Promise<StoredClaim | null> {
    const row = await database.tables.findOne(FaucetClaimEntity, where)
    if (row === null) return null
    return { ...claimOf(row), state: row.state as ClaimState, hash: (row.hash ?? null) as Hex | null }
  }

  return {
    async begin(claim, callerKey, limits) {
      return await counted(dayOf(claim.createdAt), async (tables, day) => {
        const refusal = await refusalOf(tables, claim, { callerKey, paid: day.paid }, limits)
        if (refusal !== null) return refusal
        const row = { addressKey: addressKeyOf(claim), callerKey, amount: `${claim.amount}`, state: 'queued' }
        await tables.insert(FaucetClaimEntity, { ...claim, ...row })
        await tables.update(FaucetDayEntity, { id: only }, paidOn(day, day.paid + claim.amount))
        return null
      })
    },
    async check(claim, callerKey, limits) {
      const { tables } = database
      const row = await tables.findOne(FaucetDayEntity, only)
      return await refusalOf(tables, claim, { callerKey, paid: sumsOn(row, dayOf(claim.createdAt)).paid }, limits)
    },
    find: async (id) => await one({ id }),
    findByHash: async (hash) => await one({ hash: hash.toLowerCase() }),
    async queued(chainId) {
      const order = { orderBy: { createdAt: 'asc' }, limit: 100 } as const
      return (await database.tables.find(FaucetClaimEntity, { chainId, state: 'queued' }, order)).map(claimOf)
    },
    async markSent(id) {
      await database.tables.update(FaucetClaimEntity, { id, state: 'queued' }, { state: 'sent' })
    },
    async end(id, { paid, hash }) {
      await counted('', async (tables, day) => {
        const claim = await tables.findOne(FaucetClaimEntity, { id, state: open })
        if (claim === null) return
        const state = paid ? 'sent' : 'failed'
        await tables.update(FaucetClaimEntity, { id }, { state, hash: hash?.toLowerCase() ?? null })
        if (paid || dayOf(claim.createdAt) !== day.day) return
        await tables.update(FaucetDayEntity, { id: only }, paidOn(day, day.paid - BigInt(claim.amount)))
      })
    },
  }
}

/** Key of the only row of sums. */
const only = 1

/** The states of claims that were paid or will be. */
const open: ClaimState[] = ['queued', 'sent']

type Day = { day: string; paid: bigint }

/** The UTC day. */
function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

/**
 * Locks the row for this transaction. It never returns to an earlier day, even where the clock of a process is behind.
 */
async function lockDay(tables: Tables, day: string): Promise<Day> {
  const row = await tables.findOne(FaucetDayEntity, only, { lock: 'update' })
  if (row === null) throw new Error('The row that sums the payments of the faucet is missing.')
  return sumsOn(row, day)
}

function sumsOn(row: FaucetDayRow | null, day: string): Day {
  return row !== null && row.day >= day ? { day: row.day, paid: BigInt(row.paid) } : { day, paid: 0n }
}

function addressKeyOf({ address }: FaucetClaim): string {
  return address.toLowerCase()
}

function paidOn({ day }: Day, paid: bigint) {
  return { day, paid: paid.toString() }
}

type Facts = { callerKey: string; paid: bigint }

async function refusalOf(
  tables: Tables,
  claim: FaucetClaim,
  { callerKey, paid }: Facts,
  { cooldownMs, dailyCap, perCaller }: FaucetRules,
): Promise<ClaimRefusal | null> {
  const now = claim.createdAt.getTime()
  const newest = { orderBy: { createdAt: 'desc' }, limit: 1 } as const
  if (perCaller !== null) {
    const { claims, windowMs } = perCaller
    const since = { callerKey, state: open, createdAt: { $gt: new Date(now - windowMs) } }
    const [oldest] = await tables.find(FaucetClaimEntity, since, { ...newest, offset: claims - 1 })
    if (oldest !== undefined) return { limit: 'caller', until: after(oldest, windowMs) }
  }
  const since = { addressKey: addressKeyOf(claim), state: open, createdAt: { $gt: new Date(now - cooldownMs) } }
  const [last] = await tables.find(FaucetClaimEntity, since, newest)
  if (last !== undefined) return { limit: 'address', until: after(last, cooldownMs) }
  if (paid + claim.amount > dailyCap) return { limit: 'cap', until: nextDay(claim.createdAt) }
  return null
}

function after({ createdAt }: { createdAt: Date }, ms: number): Date {
  return new Date(createdAt.getTime() + ms)
}

function nextDay(moment: Date): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate() + 1))
}

function claimOf({ id, chainId, address, amount, cooldownMs, createdAt }: FaucetClaimRow): FaucetClaim {
  return { id, chainId, address: address as Hex, amount: BigInt(amount), cooldownMs, createdAt }
}
