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

/** The time of the server in milliseconds, so that clocks of processes that differ do not matter. */
const serverTime = 'floor(extract(epoch from clock_timestamp()) * 1000)::float8 as time'

/** Counts in PostgreSQL, for what all its processes must count exactly: wrong passwords. */
export function createStoredLimiter({ tables, transaction }: Database): Limiter {
  let untilPurge = purgeEvery
  // The keys hold e-mail addresses.
  const idOf = (ruleName: string, key: string) => createHash('sha256').update(`${ruleName} ${key}`).digest('hex')

  /** Changes the numbers of a key, one caller after another. */
  async function change<T>(
    id: string,
    rule: RateRule,
    work: (before: number[], time: number) => { after: readonly number[]; result: T },
  ) {
    untilPurge -= 1
    if (untilPurge === 0) {
      untilPurge = purgeEvery
      await tables.run('delete from guess_count where expires_at < now()')
    }
    return await transaction(async (within) => {
      // Nobody else sees a new row before its time is set below.
      await within.upsert(GuessCountEntity, { id, counts: '[]', expiresAt: new Date(0) }, 'ignore')
      const row = await within.findOne(GuessCountEntity, id, { lock: 'update' })
      // Asked under the lock, so that later counts have later times.
      const [{ time } = { time: 0 }] = await within.query<{ time: number }>(`select ${serverTime}`)
      const { after, result } = work(read(row?.counts), time)
      await within.update(GuessCountEntity, { id }, { counts: JSON.stringify(after), expiresAt: expiry(rule, time) })
      return result
    })
  }

  async function counted(id: string, rule: RateRule, now: Date, count: Count): Promise<Taken> {
    return await change(id, rule, (before, time) => {
      const { after, taken } = count(before, rule, time)
      return { after, result: byClockOf(now, time, taken) }
    })
  }

  return {
    take: async (ruleName, rule, key, now) => await counted(idOf(ruleName, key), rule, now, countOne),
    async charge(ruleName, rule, key, now, units) {
      const id = idOf(ruleName, key)
      if (units !== 0) return await counted(id, rule, now, countUnits(units))
      const sql = `select counts, ${serverTime} from guess_count where id = ?`
      const [row] = await tables.query<{ counts: string; time: number }>(sql, id)
      const time = row?.time ?? now.getTime()
      return byClockOf(now, time, countUnits(0)(read(row?.counts), rule, time).taken)
    },
    async giveBack(ruleName, rule, key) {
      // Its time by the server is not known here, so the newest stands for it: they differ by one check of a password.
      await change(idOf(ruleName, key), rule, (before, time) => ({
        after: uncountOne(before, rule, before.at(-1) ?? time),
        result: null,
      }))
    },
  }
}

function read(counts = '[]'): number[] {
  return numbers.parse(JSON.parse(counts))
}

/** What a caller learns, who knows the clock of this process. */
function byClockOf(now: Date, time: number, taken: Taken): Taken {
  return { ...taken, resetAt: new Date(taken.resetAt.getTime() + now.getTime() - time) }
}

/** When the numbers of a key mean nothing more: a window has ended, a bucket is full again whatever it owed. */
function expiry({ windowSeconds, limit, burst }: RateRule, time: number): Date {
  return new Date(time + 1_000 * windowSeconds * Math.max(1, (burst ?? limit) / limit) * 2)
}
