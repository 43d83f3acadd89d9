import { tiers } from '../../contract/shared/limits.ts'
import type { Limiter } from '../../domain/ports/limiter.ts'
import { createSharedAnswers, type SharedAnswers } from '../providers/shared-answers.ts'
import type { RedisOutage } from '../redis/connection.ts'
import type { Database } from '../storage/connection/database.ts'
import { createDividedLimiter } from './divided.ts'
import { createEitherLimiter } from './either.ts'
import { watchLiveProcesses } from './live-processes.ts'
import { createLocalShareLimiter } from './local-share.ts'
import { createMemoryLimiter } from './memory.ts'
import { createRedisLimiter } from './redis.ts'
import { createStoredLimiter } from './stored.ts'

/** What the processes of a gateway count and know together. */
export type Limits = {
  limiter: Limiter
  /** Counts wrong passwords, exactly over all processes of a database. */
  ofGuesses: Limiter
  /** Undefined without Redis. */
  answers: SharedAnswers | undefined
  /** What start-up says of it: what is approximate. */
  notes: string[]
  /** The state of the parts that are used. */
  states(): Record<string, string>
}

/** The rules of the node, which a caller uses up to thousands of times a second. */
const ofTheNode = new Set<string>(Object.values(tiers).flatMap(({ rule, work }) => [rule, work]))

/** Opens the limits: in Redis where it is set, divided among the living processes where it is not, or is away. */
export async function openLimits(
  { REDIS_URL: url, ROLES: roles }: { REDIS_URL?: string | undefined; ROLES: readonly string[] },
  database: Database,
  opened: AsyncDisposableStack,
  outage: (event: RedisOutage) => void,
): Promise<Limits> {
  const { share } = opened.use(await watchLiveProcesses(database, roles))
  const divided = createDividedLimiter(createMemoryLimiter(), share)
  const isShared = database.dialect === 'postgresql'
  const ofGuesses = isShared ? createStoredLimiter(database) : createMemoryLimiter()
  if (url === undefined) {
    const notes = isShared ? [approximate(share().of)] : []
    return { limiter: divided, ofGuesses, answers: undefined, notes, states: () => ({}) }
  }
  const { openRedis } = await import('../redis/connection.ts') // the client takes 20 MB, also where it is not used
  const redis = opened.use(await openRedis(url, outage))
  return {
    limiter: createEitherLimiter(createLocalShareLimiter(createRedisLimiter(redis), ofTheNode), divided, redis.isAway),
    ofGuesses,
    answers: createSharedAnswers(redis),
    notes: [redis.isAway() ? 'Redis does not respond: rates are divided until it does.' : 'Rates: exact, in Redis'],
    states: () => ({ redis: redis.isAway() ? 'away: rates are divided' : 'ok' }),
  }
}

function approximate(living: number): string {
  const among = living === 1 ? 'the live processes (1 now)' : `${living} live processes`
  return `Rates are divided by ${among}: set REDIS_URL for exact ones. Caps, keys, halts and password limits are exact.`
}
