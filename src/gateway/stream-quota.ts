import { bounds } from '../contract/shared/limits.ts'
import { DomainError } from '../domain/core/errors.ts'
import type { Principal } from '../domain/core/handler.ts'

/** Who opens a stream, as far as its place asks. */
type Opener = { protocol: string; apiKey: { id: string } | 'unknown' | null; clientAddress: string }

/** Places for the streams that are open in this process. */
export type StreamPlaces = {
  /**
   * Opens what takes a place of the caller; `release` frees it, as does a failure to open. RATE_LIMITED where no place
   * is left.
   */
  hold<T>(caller: Opener, principal: Principal | null, open: () => Promise<T>): Promise<{ opened: T; release(): void }>
}

/**
 * Counts open streams by account, else by API key, else by client address. Those of a JSON-RPC socket are not counted:
 * the socket counts its own, and an address has few sockets.
 */
export function createStreamPlaces(): StreamPlaces {
  const taken = new Map<string, number>()

  function take(key: string): () => void {
    const before = taken.get(key) ?? 0
    if (before >= bounds.subscriptions) throw tooMany()
    taken.set(key, before + 1)
    return () => {
      const left = (taken.get(key) ?? 0) - 1
      if (left > 0) taken.set(key, left)
      else taken.delete(key)
    }
  }

  return {
    async hold(caller, principal, open) {
      const release = caller.protocol === 'jsonrpc' ? () => undefined : take(ownerOf(caller, principal))
      try {
        return { opened: await open(), release }
      } catch (failure) {
        release()
        throw failure
      }
    },
  }
}

function ownerOf(caller: Opener, principal: Principal | null): string {
  return principal === null ? keyOrAddress(caller) : `account:${principal.userId}`
}

/** What a caller without an account is counted by. */
export function keyOrAddress({ apiKey, clientAddress }: Pick<Opener, 'apiKey' | 'clientAddress'>): string {
  return apiKey === null || apiKey === 'unknown' ? `address:${clientAddress}` : `key:${apiKey.id}`
}

function tooMany(): DomainError {
  const limit = String(bounds.subscriptions)
  const message = `At most ${limit} streams of one caller are open at once; end one first.`
  return new DomainError('RATE_LIMITED', message, { retryAfterSeconds: null, metadata: { limit } })
}
