import { createHash } from 'node:crypto'
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises'
import { Redis as Client } from 'ioredis'

/** Begins every key. The number changes with what is stored, so that versions beside each other do not misread. */
export const keyPrefix = 'trident:1:'

/** Milliseconds that an answer may take, so that a decision takes at most 100, and between two attempts to come back. */
const [usualAnswerMs, probeMs] = [80, 200]
/** Milliseconds after which a connection that says nothing is made anew. */
const deadMs = 2_000

/** Redis does not respond from now on (`seconds` is null), or does so again after so many seconds. */
export type RedisOutage = { failure: unknown; seconds: number | null }

/** A script that Redis runs as one step. */
export type Script = Readonly<{ text: string; sha: string }>

/** A Redis that may vanish: while it is away every call fails at once. */
export type Redis = AsyncDisposable & {
  isAway(): boolean
  /** Runs one exchange. Throws RedisAway where it has no answer in time, and from then on at once until it is back. */
  ask<T>(act: (client: Client) => Promise<T>): Promise<T>
  run(script: Script, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown>
}

/** Redis has no answer: what needs it does without. */
export class RedisAway extends Error {}

export function scriptOf(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** What shows that scripts run and that there is room to write. */
const probe = scriptOf("return redis.call('set', KEYS[1], '1', 'PX', 1000)")

/**
 * Connects by a URL, without throwing where the server is away. A server that fails or is silent counts as away until a
 * write succeeds again; the connection is then made anew where it has to be.
 */
export async function openRedis(
  url: string,
  outage: (event: RedisOutage) => void,
  answerMs = usualAnswerMs,
): Promise<Redis> {
  const client = new Client(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: deadMs,
    retryStrategy: () => probeMs,
    reconnectOnError: () => false,
    autoResendUnfulfilledCommands: false,
  })
  let away: { failure: unknown; since: number } | null = null
  let closed = false
  let lastFailure: unknown = new RedisAway('Redis does not respond.')
  client.on('error', (failure: unknown) => {
    lastFailure = failure
  })
  client.on('close', () => begin(lastFailure))

  async function evaluate({ text, sha }: Script, keys: readonly string[], values: readonly (string | number)[]) {
    const parts = [keys.length, ...keys, ...values] as const
    return await client.evalsha(sha, ...parts).catch(async (failure: unknown) => {
      if (!(failure instanceof Error) || !failure.message.startsWith('NOSCRIPT')) throw failure
      return await client.eval(text, ...parts) // a server that was restarted knows no script
    })
  }
  const isWriting = async () => await within(evaluate(probe, [`${keyPrefix}probe`], []), answerMs)

  function begin(failure: unknown): void {
    if (away !== null || closed) return
    away = { failure, since: performance.now() }
    outage({ failure, seconds: null })
    void comeBack(away.since)
  }

  async function comeBack(since: number): Promise<void> {
    for (let heard = performance.now(); !closed; ) {
      await pause(probeMs, undefined, { ref: false })
      const failure = await isWriting().then(
        () => null,
        (thrown: unknown) => thrown,
      )
      if (failure === null) break
      // ioredis connects again by itself, but not where a connection is silent.
      if (failure instanceof RedisAway && performance.now() - heard > deadMs && client.status !== 'reconnecting') {
        client.disconnect(true)
        heard = performance.now()
      }
    }
    if (closed) return
    away = null
    lastFailure = new RedisAway('Redis does not respond.')
    outage({ failure: null, seconds: (performance.now() - since) / 1_000 })
  }

  const redis: Redis = {
    isAway: () => away !== null,
    async ask(act) {
      if (away !== null) throw new RedisAway('Redis is away.')
      try {
        return await within(act(client), answerMs)
      } catch (failure) {
        begin(failure)
        throw new RedisAway('Redis is away.', { cause: failure })
      }
    },
    run: async (script, keys, values) => await redis.ask(async () => await evaluate(script, keys, values)),
    async [Symbol.asyncDispose]() {
      closed = true
      client.disconnect()
    },
  }
  await within(client.connect().then(isWriting), deadMs).catch((failure: unknown) => {
    begin(failure instanceof RedisAway ? lastFailure : failure)
  })
  return redis
}

/** Rejects where the answer is late, unless this process itself was too busy to read it. */
async function within<T>(answer: Promise<T>, ms: number): Promise<T> {
  const waiting = new AbortController()
  const late = (async () => {
    await pause(ms, undefined, { signal: waiting.signal })
    for (let round = 0; round < 2; round += 1) await nextRound() // what has arrived meanwhile is read first
    throw new RedisAway('Redis does not respond.')
  })()
  try {
    return await Promise.race([answer, late])
  } finally {
    waiting.abort()
    late.catch(() => undefined)
    answer.catch(() => undefined)
  }
}
