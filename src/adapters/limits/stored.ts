import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { RateRule } from '../../contract/shared/limits.ts'
import type { Limiter, Taken } from '../../domain/ports/limiter.ts'
import type { Database } from '../storage/connection/database.ts'
import { GuessCountEntity } from '../storage/entities/accounts.ts'
import { type Count, countOne, countUnits, uncountOne } from './counts.ts'

const numbers = z.array(z.number())

/** Counts after which those that have expired are deleted. */
const purgeEvery = 100

/** Counts in the database, for what all its processes must count exactly: wrong passwords. */
export function createStoredLimiter({ tables, transaction }: Database): Limiter {
  let untilPurge = purgeEvery
  // The keys hold e-mail addresses.
  const idOf = (ruleName: string, key: string) => createHash('sha256').update(`${ruleName} ${key}`).digest('hex')

  /** Changes the numbers of a key, one caller after another. */
  async function change<T>(
    id: string,
    expiresAt: Date,
    work: (before: number[]) => { after: readonly number[]; result: T },
  ) {
    untilPurge -= 1
    if (untilPurge === 0) {
      untilPurge = purgeEvery
      await tables.delete(GuessCountEntity, { expiresAt: { $lt: new Date() } })
    }
    return await transaction(async (within) => {
      await within.upsert(GuessCountEntity, { id, counts: '[]', expiresAt }, 'ignore')
      const row = await within.findOne(GuessCountEntity, id, { lock: 'update' })
      const { after, result } = work(numbers.parse(JSON.parse(row?.counts ?? '[]')))
      await within.update(GuessCountEntity, { id }, { counts: JSON.stringify(after), expiresAt })
      return result
    })
  }

  async function counted(id: string, rule: RateRule, now: Date, count: Count): Promise<Taken> {
    return await change(id, expiry(rule, now), (before) => {
      const { after, taken } = count(before, rule, now.getTime())
      return { after, result: taken }
    })
  }

  return {
    take: async (ruleName, rule, key, now) => await counted(idOf(ruleName, key), rule, now, countOne),
    async charge(ruleName, rule, key, now, units) {
      const id = idOf(ruleName, key)
      if (units !== 0) return await counted(id, rule, now, countUnits(units))
      const row = await tables.findOne(GuessCountEntity, id)
      return countUnits(0)(numbers.parse(JSON.parse(row?.counts ?? '[]')), rule, now.getTime()).taken
    },
    async giveBack(ruleName, rule, key, at) {
      await change(idOf(ruleName, key), expiry(rule, at), (before) => ({
        after: uncountOne(before, rule, at.getTime()),
        result: null,
      }))
    },
  }
}

/** When the numbers of a key mean nothing more: a window has ended, a bucket is full again whatever it owed. */
function expiry({ windowSeconds, limit, burst }: RateRule, now: Date): Date {
  return new Date(now.getTime() + 1_000 * windowSeconds * Math.max(1, (burst ?? limit) / limit) * 2)
}
