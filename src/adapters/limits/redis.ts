import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { RateRule } from '../../contract/shared/limits.ts'
import type { Limiter, Taken } from '../../domain/ports/limiter.ts'
import { keyPrefix, type Redis, RedisAway, scriptOf } from '../redis/connection.ts'
import { fullOf, mostDebt, takenOfBucket, takenOfWindow } from './counts.ts'

/** The time of the server in milliseconds, so that clocks of processes that differ do not matter. */
const serverTime = "local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)"

/** `countWindow` of `counts.ts`: requests by the time at which they were allowed. */
const countWindow = scriptOf(`${serverTime}
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local count, allowed = redis.call('ZCARD', KEYS[1]), 0
if count < limit then
  allowed, count = 1, count + 1
  redis.call('ZADD', KEYS[1], now, ARGV[3])
  redis.call('PEXPIRE', KEYS[1], window + 1000)
end
local newest = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
local freed = count >= limit and redis.call('ZRANGE', KEYS[1], count - limit, count - limit, 'WITHSCORES') or {}
return {allowed, count, now, tonumber(newest[2] or now), tonumber(freed[2] or now)}`)

/** Removes the newest request of this process and time. */
const uncountWindow = scriptOf(`
local members = redis.call('ZRANGE', KEYS[1], 0, -1, 'REV')
for _, member in ipairs(members) do
  if string.sub(member, 1, #ARGV[1]) == ARGV[1] then return redis.call('ZREM', KEYS[1], member) end
end
return 0`)

/** `countBucket` and `countUnits`: units that were used already, negative ones given back, then one request if asked. */
const countBucket = scriptOf(`${serverTime}
local limit, weight, full = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local stored = redis.call('HMGET', KEYS[1], 'level', 'at')
local at = math.max(now, tonumber(stored[2] or now))
local level = math.min(full, tonumber(stored[1] or full) + (at - tonumber(stored[2] or at)) * limit)
level = math.max(-${mostDebt} * full, math.min(full, level - tonumber(ARGV[4]) * weight))
local allowed = level >= weight
if allowed and ARGV[5] == '1' then level = level - weight end
redis.call('HSET', KEYS[1], 'level', string.format('%.0f', level), 'at', string.format('%.0f', at))
redis.call('PEXPIRE', KEYS[1], math.ceil((full - level) / limit) + 1000)
return {allowed and 1 or 0, string.format('%.0f', level)}`)

const windowReply = z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()])
const bucketReply = z.tuple([z.number(), z.coerce.number()])

/**
 * Rate limits that all processes over one Redis count together, exactly and with one exchange a request. Its windows and
 * buckets are those of the memory limiter. The methods throw RedisAway while it is away.
 */
export function createRedisLimiter(redis: Redis): Limiter {
  const holder = randomUUID().slice(0, 8)
  let counter = 0
  // A rule that is changed from a window to a bucket has other keys.
  const keyOf = (ruleName: string, key: string, kind = 'bucket') => `${keyPrefix}${kind}:${ruleName} ${key}`

  async function bucket(id: string, rule: RateRule, now: Date, units: number, takes: boolean): Promise<Taken> {
    const values = [rule.limit, rule.windowSeconds * 1_000, fullOf(rule), units, takes ? 1 : 0]
    const [allowed, level] = parsed(bucketReply, await redis.run(countBucket, [id], values))
    return takenOfBucket(rule, level, allowed === 1, now.getTime())
  }

  return {
    async take(ruleName, rule, key, now) {
      if (rule.burst !== undefined) return await bucket(keyOf(ruleName, key), rule, now, 0, true)
      counter += 1
      const values = [rule.limit, rule.windowSeconds * 1_000, `${holder}:${now.getTime()}:${counter}`]
      const reply = await redis.run(countWindow, [keyOf(ruleName, key, 'window')], values)
      const [allowed, count, time, newest, freedBy] = parsed(windowReply, reply)
      const toOwn = now.getTime() - time // callers know the clock of this process
      const counted = { allowed: allowed === 1, count, newest: newest + toOwn, freedBy: freedBy + toOwn }
      return takenOfWindow(rule, counted, now.getTime())
    },
    charge: async (ruleName, rule, key, now, units) => await bucket(keyOf(ruleName, key), rule, now, units, false),
    async giveBack(ruleName, rule, key, at) {
      if (rule.burst !== undefined) await bucket(keyOf(ruleName, key), rule, at, -1, false)
      else await redis.run(uncountWindow, [keyOf(ruleName, key, 'window')], [`${holder}:${at.getTime()}:`])
    },
  }
}

/** A reply of another shape is as good as none. */
function parsed<T>(schema: z.ZodType<T>, reply: unknown): T {
  const result = schema.safeParse(reply)
  if (!result.success) throw new RedisAway('Redis answered something else.', { cause: result.error })
  return result.data
}
