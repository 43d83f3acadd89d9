import { createHash } from 'node:crypto'
import { z } from 'zod'
import { keyPrefix, type Redis } from '../redis/connection.ts'

/** What other processes have heard of providers. Nothing of it is needed: without them all is asked anew. */
export type SharedAnswers = {
  /** The text of a response with its age, if one is kept for that long, and the milliseconds that a provider rests. */
  look(name: string, key: string, cacheMs: number): Promise<{ text: string | null; ageMs: number; restMs: number }>
  keep(key: string, text: string, cacheMs: number): Promise<void>
  rest(name: string, ms: number): Promise<void>
}

/** Longer responses are not shared: reading them takes longer than what it saves. */
const mostCharacters = 262_144
/** The longest rest that one process believes another. */
const mostRestMs = 3 * 86_400_000

const nothing = { text: null, ageMs: 0, restMs: 0 }
const replies = z.tuple([
  z.tuple([z.null(), z.string().max(mostCharacters).nullable()]),
  z.tuple([z.null(), z.number()]),
  z.tuple([z.null(), z.number()]),
])

/** Shares responses and rests by a Redis. Keys are hashes, since they contain addresses of providers. */
export function createSharedAnswers(redis: Redis): SharedAnswers {
  const idOf = (kind: string, key: string) => `${keyPrefix}${kind}:${createHash('sha256').update(key).digest('hex')}`
  const quietly = async (act: Promise<unknown>) => void (await act.catch(() => undefined))
  return {
    async look(name, key, cacheMs) {
      const [answer, rest] = [idOf('answer', key), idOf('rest', name)]
      const found = await redis
        .ask(async (client) => await client.pipeline().get(answer).pttl(answer).pttl(rest).exec())
        .catch(() => null)
      const parsed = replies.safeParse(found)
      if (!parsed.success) return nothing
      const [[, text], [, leftMs], [, restMs]] = parsed.data
      const isKept = text !== null && leftMs > 0 && leftMs <= cacheMs
      return {
        text: isKept ? text : null,
        ageMs: isKept ? cacheMs - leftMs : 0,
        restMs: Math.max(0, Math.min(restMs, mostRestMs)),
      }
    },
    async keep(key, text, cacheMs) {
      if (text.length > mostCharacters || redis.isAway()) return
      await quietly(redis.ask(async (client) => await client.set(idOf('answer', key), text, 'PX', Math.ceil(cacheMs))))
    },
    async rest(name, ms) {
      if (redis.isAway() || ms < 1) return
      await quietly(redis.ask(async (client) => await client.set(idOf('rest', name), '1', 'PX', Math.ceil(ms))))
    },
  }
}
