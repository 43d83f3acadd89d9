import { bounds, grantedShare } from '../contract/shared/limits.ts'
import { DomainError } from '../domain/core/errors.ts'
import type { Principal } from '../domain/core/handler.ts'

/** The caller of a stream, as far as its quota depends on it. */
type Opener = {
  protocol: { limitsStreams: boolean }
  apiKey: { id: string } | 'unknown' | null
  clientAddress: string
}

/** Counts the streams that are open in this process. */
export type StreamQuota = {
  /**
   * Opens a stream and counts it until `release` is called; a failure to open is not counted. RATE_LIMITED where the
   * caller has as many open as it may.
   */
  hold<T>(
    caller: Opener,
    principal: Principal | null,
    kind: { id: string; openAtOnce: number | undefined },
    open: () => Promise<T>,
  ): Promise<{ opened: T; release(): void }>
}

/**
 * Counts by account, else by API key, else by client address: all streams where the protocol does not count them by itself,
 * and those of an operation with `openAtOnce`.
 */
export function createStreamQuota(): StreamQuota {
  const open = new Map<string, number>()

  function take(key: string, limit: number, what: string): () => void {
    const before = open.get(key) ?? 0
    if (before >= limit) throw tooMany(limit, what)
    open.set(key, before + 1)
    return () => {
      const remaining = (open.get(key) ?? 0) - 1
      if (remaining > 0) open.set(key, remaining)
      else open.delete(key)
    }
  }

  return {
    async hold(caller, principal, { id, openAtOnce }, openStream) {
      const shares = sharesOf(caller, principal)
      const taken: (() => void)[] = []
      const release = () => {
        for (const give of taken.splice(0)) give()
      }
      try {
        for (const { owner, of, whose } of shares) {
          if (caller.protocol.limitsStreams) taken.push(take(owner, of(bounds.subscriptions), `streams of ${whose}`))
          if (openAtOnce !== undefined)
            taken.push(take(`${id} ${owner}`, of(openAtOnce), `of these streams of ${whose}`))
        }
        return { opened: await openStream(), release }
      } catch (failure) {
        release()
        throw failure
      }
    },
  }
}

/** Whose streams a stream counts among, and how many of a limit these may be. */
type Share = { owner: string; of(limit: number): number; whose: string }

function sharesOf(caller: Opener, principal: Principal | null): Share[] {
  const whole = (limit: number) => limit
  if (principal === null) return [{ owner: keyOrAddress(caller), of: whole, whose: 'one caller' }]
  const account = { owner: `account:${principal.userId}`, of: whole, whose: 'one caller' }
  if (principal.grant === null) return [account]
  return [{ owner: `granted:${principal.userId}`, of: grantedShare, whose: 'all sessions with a grant' }, account]
}

/** The API key or the address by which a caller without an account is counted. */
export function keyOrAddress({ apiKey, clientAddress }: Pick<Opener, 'apiKey' | 'clientAddress'>): string {
  return apiKey === null || apiKey === 'unknown' ? `address:${clientAddress}` : `key:${apiKey.id}`
}

function tooMany(most: number, what: string): DomainError {
  const limit = String(most)
  const message = `At most ${limit} ${what} can be open at once. Close one first.`
  return new DomainError('RATE_LIMITED', message, { retryAfterSeconds: null, metadata: { limit } })
}
